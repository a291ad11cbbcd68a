/** Mails, subtitles, archives and compound files take linear time for their worst content, and end on circles. */
import { expect, test } from 'vitest';
import { usedMsOf } from '../../../contract-tests/harness/machine/processor-time.ts';
import { openCompoundFile } from '../compound-file.ts';
import { type Extraction, extractFile } from '../extract.ts';
import { docOf, pptOf, record, sprm } from '../testing/compound/made-docs.ts';
import { uint32, wide, writeCompound } from '../testing/compound/write-compound.ts';
import { attachmentPart, mailOf, msgOf } from '../testing/containers/made-mails.ts';
import { writeZip } from '../testing/write-zip.ts';

const LENGTH = 500_000;
/** Of processor time. The slowest takes two seconds; another machine may take five times as long. */
const LINEAR_MAX_MS = 10_000;

/** The outcome of a file, after the check that it took linear time. */
async function quickly(bytes: Buffer, fileName: string): Promise<Extraction> {
  const extractions: Extraction[] = [];
  const usedMs = await usedMsOf(async () => extractions.push(await extractFile({ fileName, bytes })));
  expect(usedMs).toBeLessThan(LINEAR_MAX_MS);
  return extractions[0] as Extraction; // it has been pushed
}

const HEADERS = 'Subject: a\nFrom: b\n';
const MULTIPART = `${HEADERS}Content-Type: multipart/mixed; boundary=b\n\n`;
const PLAIN = `${HEADERS}\n`;
const FLOWED = `${HEADERS}Content-Type: text/plain; format=flowed; delsp=yes\n\n`;
const CALENDAR = `${HEADERS}Content-Type: text/calendar\n\nBEGIN:VEVENT\n`;

/** Each unit is repeated up to the length after each beginning. */
const texts: [fileName: string, beginnings: string[], units: string[]][] = [
  [
    'a.eml',
    ['', HEADERS],
    ['a: b\n', ' a\n', '\n', 'From ', 'Subject: =?utf-8?q?a?=\n', 'To: a, "b" <c>\n', ': '],
  ],
  [
    'a.eml',
    [`${HEADERS}To: `, 'Content-Type: text/plain; a='],
    ['=?', '(', '"', ',', '<', '=?utf-8?b?YQ==?= ', '\\'],
  ],
  [
    'a.eml',
    [MULTIPART],
    ['--b\n', '--b\n\n', '--b\n\na\n', '--b\nContent-Type: multipart/mixed; boundary=b\n\n', '--b--\n'],
  ],
  [
    'a.eml',
    [PLAIN, FLOWED],
    ['a \n', '> \n', '>', '-----BEGIN PGP MESSAGE-----\n', 'begin 644 a\n', 'begin 644 a\n!  \n', '- '],
  ],
  [
    'a.eml',
    [CALENDAR],
    ['ATTENDEE:a\n', 'BEGIN:A\n', ' a\n', ';a="', ';a=b', '\\,', 'END:VEVENT\nBEGIN:VEVENT\nSUMMARY:a\n'],
  ],
  [
    'a.mbox',
    ['From a 10:00\nSubject: a\n\na\n\n'],
    ['From a 10:00\n\n', '\nFrom a', '>From a\n', '\nFrom a 10:00\nSubject: a\n\na\n'],
  ],
  [
    'a.srt',
    ['1\n00:00:00,000 --> 00:00:01,000\n'],
    ['a\n', '1\n', '<', '{\\', '-->', '00:00:00,000 --> 00:00:01,000\n', '&a'],
  ],
  ['a.vtt', ['WEBVTT\n\n'], ['00:00.000 --> 00:01.000\na\n\n', '<v a>', '<v ', '\n', 'NOTE\n\n']],
  [
    'a.ass',
    ['[Script Info]\n'],
    ['Dialogue:', 'Dialogue: ,', ',', '{\\', 'Dialogue: 0,0:00:01.00,0:00:02.00,,,,,,,a\n'],
  ],
  ['a.md', [''], ['data:', 'data:a/', 'data:a/b;base64,', ';base64,', 'data:a/b;base64,aaaa']],
  ['a.jsonl', ['{"a":1}\n'], ['{\n', '{"a":1}\n', '{"a":12345678901234567890}\n', '[[', ' 1234567890123456']],
  [
    'a.ipynb',
    ['{"nbformat":4,"cells":['],
    ['{"cell_type":"code","outputs":[{"text":"\\u001b["}]},', '{},', '"`'],
  ],
  ['a.txt', ['', '-----BEGIN '], ['begin 644 ', 'A', '999\na\n', '0\n', ' ', '%!', `${'aA0/'.repeat(16)}\n`]],
];

test.each(
  texts.flatMap(([fileName, beginnings, units]) =>
    beginnings.map((beginning) => [fileName, beginning, units] as const),
  ),
)('%s: %j', async (fileName, beginning, units) => {
  for (const unit of units)
    await quickly(Buffer.from(`${beginning}${unit.repeat(LENGTH / unit.length)}x`, 'latin1'), fileName);
});

test('a mail in a mail in a mail ends at a depth', async () => {
  let mail = 'Subject: a\nFrom: b\n\nInnermost.';
  for (let i = 0; i < 20; i++)
    mail = mailOf(['Subject: a', 'From: b'], 'mixed', [attachmentPart('a.eml', mail, 'message/rfc822')]);
  expect(await quickly(Buffer.from(mail), 'a.eml')).toMatchObject({ warnings: [{ code: 'LIMIT_REACHED' }] });
});

test('an archive that holds itself, as far as it goes, ends at a depth', async () => {
  let archive = writeZip([{ name: 'a.txt', content: 'Innermost.' }]);
  for (let i = 0; i < 50; i++) archive = writeZip([{ name: 'a.zip', content: archive }]);
  expect(await quickly(archive, 'a.zip')).toMatchObject({ failure: { code: 'FILE_TOO_COMPLEX' } });
});

test('ten archives in each of ten archives, six levels deep, end at a number of files', async () => {
  let archive = writeZip([{ name: 'a.txt', content: 'a' }]);
  for (let i = 0; i < 6; i++)
    archive = writeZip(Array.from({ length: 10 }, (_, j) => ({ name: `${j}.zip`, content: archive })));
  const { warnings = [] } = await quickly(archive, 'a.zip');
  expect(new Set(warnings.map(({ code }) => code))).toEqual(new Set(['LIMIT_REACHED']));
});

/** The offset of the first sector of the allocation table. */
const tableOf = (file: Buffer) => (file.readUInt32LE(76) + 1) * 512;

test('chains of sectors that are circles, and directories that lead back, end', async () => {
  const message = msgOf({ texts: { 55: 'Subject', 4096: 'Body. '.repeat(1000) } });
  for (let sector = 0; sector < 60; sector++) {
    const circle = Buffer.from(message);
    circle.writeUInt32LE(sector, tableOf(message) + 4 * sector);
    await quickly(circle, 'a.msg');
  }
  const directory = (message.readUInt32LE(48) + 1) * 512;
  for (let entry = 0; entry < 4; entry++) {
    for (const place of [68, 72, 76]) {
      const back = Buffer.from(message);
      back.writeUInt32LE(entry, directory + 128 * entry + place);
      await quickly(back, 'a.msg');
    }
  }
});

test('streams that share their sectors end once they are larger than a file may unpack to', () => {
  const streams = Object.fromEntries(
    Array.from({ length: 400 }, (_, i) => [`s${i}`, Buffer.alloc(5000, 'x')]),
  );
  const file = writeCompound({ ...streams, large: Buffer.alloc(2 ** 20, 'y') });
  const large = file.indexOf(wide('large\0')) + 116;
  const shared = file.subarray(large, large + 8);
  for (let at = file.indexOf(wide('s1')); at >= 0; at = file.indexOf(wide('s1'), at + 128))
    shared.copy(file, at + 116);
  const { streams: names, read } = openCompoundFile(file);
  expect(() => {
    for (let i = 0; i < 9; i++) for (const name of names) read(name);
  }).toThrow('overlap');
});

test('a Word document of fields in fields, of marks and of tables in tables takes linear time', async () => {
  const words = LENGTH / 4;
  for (const text of ['\x13', '\x13\x14a', '\x15', '\x02', 'a\x0b', '\x07', '\x05a'])
    await quickly(docOf({ body: [{ text: text.repeat(words / text.length) }] }), 'a.doc');
  const deep = (depth: number) => Buffer.concat([sprm(0x2416, 1), Buffer.from([0x49, 0x66]), uint32(depth)]);
  const body = [
    { text: 'a', formats: deep(2 ** 30) },
    { text: 'b\r'.repeat(words), formats: deep(1) },
    { text: 'c', formats: deep(9) },
  ];
  expect(await quickly(docOf({ body }), 'a.doc')).toMatchObject({ type: 'doc', warnings: [] });
});

test('records of a presentation that overlap are refused', async () => {
  const inner = Buffer.concat(Array.from({ length: 20_000 }, () => record(0x0fff, [])));
  const slides = Array.from({ length: 500 }, (_, i) => record(0x03f3, uint32(2 + (i % 2), 0, 0, 256 + i, 0)));
  const document = record(0x03e8, [record(0x0ff0, slides)]);
  const slide = record(0x03ee, [record(0x040c, [record(0xf002, [inner])])]);
  expect(await quickly(pptOf([document, slide, slide]), 'a.ppt')).toMatchObject({
    failure: { code: 'FILE_TOO_COMPLEX' },
  });
});
