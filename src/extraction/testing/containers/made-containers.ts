/** Makes small valid files of the formats that hold other files, of old Office formats, and of subtitles. */
import { docOf, pptOf, record, sprm } from '../compound/made-docs.ts';
import { uint32, wide } from '../compound/write-compound.ts';
import { docxOf } from '../made-files.ts';
import { writeZip } from '../write-zip.ts';
import { attachmentPart, mailOf, mimePart, msgOf, multipart } from './made-mails.ts';

const SENTENCE = 'The café opens at nine.';

const ppt = (): Buffer => {
  const text = (kind: number, words: string) => [record(0x0f9f, uint32(kind)), record(0x0fa0, wide(words))];
  const shape = record(0xf004, [record(0xf00d, text(1, SENTENCE))]);
  const slide = record(0x03ee, [
    record(0x03ef, uint32(0, 0, 0, 0, 0)),
    record(0x040c, [record(0xf002, [shape])]),
  ]);
  const listed = [record(0x03f3, uint32(2, 0, 0, 256, 0)), ...text(0, 'Opening hours')];
  return pptOf([record(0x03e8, [record(0x0ff0, listed)]), slide]);
};

const doc = (): Buffer => {
  const cell = (text: string) => ({ text, mark: '\x07', formats: sprm(0x2416, 1) });
  const rowEnd = { text: '', mark: '\x07', formats: Buffer.concat([sprm(0x2416, 1), sprm(0x2417, 1)]) };
  return docOf({ body: [{ text: `\x13 PAGE \x14${SENTENCE}\x15` }, cell('Day'), cell('Hours'), rowEnd] });
};

const mail = (): string => {
  const html = mimePart(['Content-Type: text/html; charset=utf-8'], `<p>${SENTENCE}</p>`);
  const plain = mimePart(['Content-Type: text/plain; charset=utf-8; format=flowed'], SENTENCE);
  const body = multipart('alternative', [plain, html]);
  return mailOf(['Subject: =?utf-8?q?Caf=C3=A9?=', 'From: a@example.org'], 'mixed', [
    mimePart([body.header], body.content),
    attachmentPart('a.csv', 'Day;Hours\nMonday;nine to six\n'),
  ]);
};

const page = (): string =>
  mailOf(['From: <Saved by Blink>', 'Subject: Café'], 'related', [
    mimePart(['Content-Type: text/html; charset=utf-8'], `<h1>Opening hours</h1><p>${SENTENCE}</p>`),
  ]);

const archive = (): Buffer =>
  writeZip([
    { name: 'a/b.docx', content: writeZip(docxOf(`<w:p><w:r><w:t>${SENTENCE}</w:t></w:r></w:p>`)) },
    { name: 'a/c.txt', content: 'It closes at six.', isStored: true },
  ]);

/** The files by their names; each holds "The café opens at nine". */
export const madeContainers = (): Record<string, Buffer> => ({
  'a.eml': Buffer.from(mail()),
  'a.mhtml': Buffer.from(page()),
  'a.msg': msgOf({
    texts: { 55: 'Café', 4096: SENTENCE },
    attachments: [{ texts: { 14087: 'a.txt' }, bytes: { 14081: Buffer.from('It closes at six.') } }],
  }),
  'a.doc': doc(),
  'a.ppt': ppt(),
  'a.zip': archive(),
  'a.srt': Buffer.from(`1\n00:00:01,000 --> 00:00:02,000\n${SENTENCE}\n`),
  'a.vtt': Buffer.from(`WEBVTT\n\n00:01.000 --> 00:02.000\n<v Ada>${SENTENCE}\n`),
});
