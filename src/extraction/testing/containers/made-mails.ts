/** Makes mails, as files of programs for mail (RFC 5322) and of Outlook ([MS-OXMSG]). */
import { uint16, uint32, wide, writeCompound } from '../compound/write-compound.ts';

/** A part of a message: its headers, an empty line, its content. */
export const mimePart = (headers: string[], content: string): string =>
  [...headers, '', content].join('\r\n');

/** A multipart content of this kind, and its header. A part inside has another boundary, since it is shorter. */
export function multipart(kind: string, parts: string[]): { header: string; content: string } {
  const boundary = `b${parts.join('').length}`;
  const content = [...parts.map((part) => `--${boundary}\r\n${part}`), `--${boundary}--`, ''].join('\r\n');
  return { header: `Content-Type: multipart/${kind}; boundary="${boundary}"`, content };
}

export function mailOf(headers: string[], kind: string, parts: string[]): string {
  const { header, content } = multipart(kind, parts);
  return mimePart([...headers, 'MIME-Version: 1.0', header], content);
}

export const base64Part = (headers: string[], content: Uint8Array | string): string =>
  mimePart(
    [...headers, 'Content-Transfer-Encoding: base64'],
    Buffer.from(content as string)
      .toString('base64')
      .replace(/.{76}/g, '$&\r\n'),
  );

export const attachmentPart = (
  name: string,
  content: Uint8Array | string,
  type = 'application/octet-stream',
) => base64Part([`Content-Type: ${type}`, `Content-Disposition: attachment; filename="${name}"`], content);

/** Properties of a message, recipient or attachment: texts and bytes by their ids, numbers, and times in ms. */
export type MadeProperties = {
  times?: Record<number, number>;
  texts?: Record<number, string>;
  bytes?: Record<number, Uint8Array>;
  numbers?: Record<number, number>;
};

const idOf = (id: string) => Number(id).toString(16).padStart(4, '0').toUpperCase();

function streamsOf(
  { texts = {}, bytes = {}, numbers = {}, times = {} }: MadeProperties,
  folder: string,
  headerLength: number,
) {
  const fixed = Object.entries(numbers).map(([id, number]) =>
    Buffer.concat([uint16(0x0003, Number(id)), uint32(0, number, 0)]),
  );
  for (const [id, ms] of Object.entries(times)) {
    const ticks = Buffer.alloc(8);
    ticks.writeBigUInt64LE((BigInt(ms) + 11_644_473_600_000n) * 10_000n);
    fixed.push(Buffer.concat([uint16(0x0040, Number(id)), uint32(0), ticks]));
  }
  return {
    [`${folder}__properties_version1.0`]: Buffer.concat([Buffer.alloc(headerLength), ...fixed]),
    ...Object.fromEntries(
      Object.entries(texts).map(([id, text]) => [`${folder}__substg1.0_${idOf(id)}001F`, wide(text)]),
    ),
    ...Object.fromEntries(
      Object.entries(bytes).map(([id, content]) => [`${folder}__substg1.0_${idOf(id)}0102`, content]),
    ),
  };
}

export type MadeMessage = MadeProperties & {
  recipients?: MadeProperties[];
  attachments?: (MadeProperties & { message?: MadeMessage })[];
};

function messageStreams(
  { recipients = [], attachments = [], ...own }: MadeMessage,
  folder: string,
): Record<string, Uint8Array> {
  const numbered = (i: number) => i.toString(16).padStart(8, '0').toUpperCase();
  return {
    ...streamsOf(own, folder, folder === '' ? 32 : 24),
    ...Object.assign(
      {},
      ...recipients.map((each, i) => streamsOf(each, `${folder}__recip_version1.0_#${numbered(i)}/`, 8)),
      ...attachments.map(({ message, ...each }, i) => {
        const inner = `${folder}__attach_version1.0_#${numbered(i)}/`;
        return {
          ...streamsOf(each, inner, 8),
          ...(message && messageStreams(message, `${inner}__substg1.0_3701000D/`)),
        };
      }),
    ),
  };
}

/** `named`: the set and id of the properties from 0x8000 on. */
export function msgOf(message: MadeMessage, named: [set: number, id: number][] = []): Buffer {
  const guids = Buffer.concat(named.map(([set]) => Buffer.concat([uint32(set), Buffer.alloc(12)])));
  const entries = Buffer.concat(
    named.map(([, id], i) => Buffer.concat([uint32(id), uint16((i + 3) << 1, i)])),
  );
  const names = {
    '__nameid_version1.0/__substg1.0_00020102': guids,
    '__nameid_version1.0/__substg1.0_00030102': entries,
  };
  return writeCompound({ ...messageStreams(message, ''), ...(named.length > 0 && names) });
}
