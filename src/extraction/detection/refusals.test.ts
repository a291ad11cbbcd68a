/** The names of formats that are not read, and what helps. */
import { describe, expect, it, test } from 'vitest';
import { detectType } from '../detect-type.ts';
import { extractFile } from '../extract.ts';
import { wide, writeCompound } from '../testing/compound/write-compound.ts';
import { writeZip } from '../testing/write-zip.ts';

const latin1 = (text: string) => Buffer.from(text, 'latin1');
const failureOf = async (bytes: Buffer, fileName: string) => {
  const extraction = await extractFile({ fileName, bytes });
  return 'failure' in extraction ? extraction.failure : undefined;
};

describe('a format that is not read is refused with its name and what helps', () => {
  const zip = (...names: string[]) => writeZip(names.map((name) => ({ name, content: 'x' })));
  const compound = (name: string) => writeCompound({ [name]: Buffer.alloc(5000, 'x') });
  const binary = (start: string) => Buffer.concat([latin1(start), Buffer.alloc(500)]);
  const lines = (line: string, count: number) => latin1(`${line}\n`.repeat(count));
  it.each<[fileName: string, bytes: Buffer, message: RegExp]>([
    [
      'a.png',
      binary('\x89PNG\r\n\x1a\n'),
      /^This is a PNG picture: recognise its text by an OCR program first/,
    ],
    ['a.heic', binary('\0\0\0\x18ftypheic'), /^This is a HEIC or AVIF picture: /],
    ['a.webp', binary('RIFF\0\0\0\0WEBPVP8 '), /^This is a WebP picture: /],
    ['a.psd', binary('8BPS\0\x01'), /^This is a Photoshop picture: /],
    ['a.mp3', binary('ID3\x04\0'), /^This is a sound recording: import its transcript or its subtitles/],
    ['a.mov', binary('\0\0\0\x14ftypqt  '), /^This is a video: /],
    [
      'a.pages',
      zip('Index/Document.iwa', 'Index/Tables/a.iwa'),
      /^This is an Apple Pages document: export it as PDF or Word \(\.docx\)\.$/,
    ],
    [
      'a.numbers',
      zip('Index/Document.iwa', 'Index/Tables/a.iwa'),
      /^This is an Apple Numbers document: export it as Excel/,
    ],
    ['a.key', zip('index.apxl'), /^This is an Apple Keynote document: /],
    ['backup', zip('Index/Document.iwa'), /^This is an Apple iWork document: /],
    ['a.vsdx', zip('visio/document.xml'), /^This is a Visio drawing: /],
    ['a.xps', zip('FixedDocSeq.fdseq'), /^This is an XPS document: /],
    [
      'a.odg',
      writeZip([{ name: 'mimetype', content: 'application/vnd.oasis.opendocument.graphics' }]),
      /^This is an OpenDocument drawing or formula: export it as PDF\.$/,
    ],
    ['a.jar', zip('a.class'), /^This is a program: /],
    ['a.vsd', compound('VisioDocument'), /^This is a Visio drawing: /],
    ['a.pub', compound('Quill/QuillSub/CONTENTS'), /^This is a Publisher document: /],
    ['a.hwp', compound('\x05HwpSummaryInformation'), /^This is a Hangul document: /],
    ['a.mpp', compound('anything'), /^This is a Project plan: /],
    ['a.one', binary('\xe4\x52\x5c\x7b\x8c\xd8\xa7\x4d'), /^This is a OneNote notebook: /],
    ['a.wpd', binary('\xffWPC'), /^This is a WordPerfect document: /],
    ['a.mobi', binary(`${'x'.repeat(60)}BOOKMOBI`), /^This is a Kindle book: convert it to EPUB\.$/],
    ['a.djvu', latin1(`AT&TFORM${'text'.repeat(99)}`), /^This is a DjVu document: /],
    ['a.dwg', binary('AC1032\0'), /^This is a CAD drawing: /],
    ['a.dxf', latin1('  0\r\nSECTION\r\n  2\r\nHEADER\r\n'), /^This is a CAD drawing: /],
    [
      'a.eps',
      latin1('%!PS-Adobe-3.0 EPSF-3.0\n/Times findfont'),
      /^This is a PostScript file: export it as PDF\.$/,
    ],
    ['a.pst', binary('!BDN'), /^This is an Outlook mailbox: save its mails as \.msg or \.eml/],
    ['winmail.dat', binary('\x78\x9f\x3e\x22'), /^This is Outlook’s own container of attachments: /],
    [
      'a.p7m',
      latin1(`\x30\x80\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x02 ${'A signed text. '.repeat(99)}`),
      /^This is a signed or encrypted message \(S\/MIME\): /,
    ],
    [
      'a.asc',
      latin1('-----BEGIN PGP MESSAGE-----\n\nhQEM'),
      /^This is a message encrypted by PGP: decrypt it first\.$/,
    ],
    ['a.pem', latin1('-----BEGIN RSA PRIVATE KEY-----\nMIIE'), /^This is a key or certificate: /],
    ['a.txt', latin1('begin 644 a.pdf\nM)5!$1BTQ+C0*\n'), /^This is a text that packs a file: /],
    [
      'a.b64',
      lines('JVBERi0xLjQKJcfsj6IKNSAwIG9iago8PC9MZW5ndGggNiAwIFIvRmlsdGVyIC9G', 40),
      /^This is a file packed as text \(base64\): /,
    ],
    [
      'a.7z',
      binary('7z\xbc\xaf\x27\x1c'),
      /^This is a 7-Zip archive: unpack it, and import its files or a ZIP archive of them\.$/,
    ],
    [
      'a.zip',
      Buffer.concat([Buffer.alloc(99, 0x8e), latin1(`PK\x05\x06\x01${'\0'.repeat(17)}`)]),
      /^This is a part of a split archive: /,
    ],
    ['a.z01', binary('PK\x07\x08PK\x03\x04'), /^This is a part of a split archive: /],
    ['a.tar.bz2', latin1('BZh91AY&SY/\xb0s{\xc9\xc9 packed'), /^This is an archive: /],
    ['a.rar', binary('Rar!\x1a\x07'), /^This is a RAR archive: /],
    [
      'a.iso',
      Buffer.concat([Buffer.alloc(32_769), latin1('CD001'), Buffer.alloc(99)]),
      /^This is a disk image: /,
    ],
    ['a.db', binary('SQLite format 3\0'), /^This is an SQLite database: export its tables as CSV/],
    ['a.mdb', binary('\0\x01\0\0Standard Jet DB'), /^This is an Access database: /],
    ['a.parquet', binary('PAR1\x15\x04'), /^This is a data file for programs: /],
    ['a.woff2', binary('wOF2\0\x01'), /^This is a font: /],
    ['a.exe', binary('MZ\x90\0\x03'), /^This is a program: /],
    [
      'a.gdoc',
      Buffer.from('{"url": "https://docs.google.com/open?id=1", "doc_id": "1"}'),
      /^This is a link to a Google document: /,
    ],
  ])('%s', async (fileName, bytes, message) => {
    expect(await failureOf(bytes, fileName)).toEqual({
      code: 'UNSUPPORTED_FILE_TYPE',
      message: expect.stringMatching(message),
    });
  });

  it('whatever its name is', async () => {
    expect(await failureOf(binary('\x89PNG\r\n\x1a\n'), 'scan.pdf')).toMatchObject({
      message: /^This is a PNG picture/,
    });
  });

  it('but not because a text begins like it', () => {
    for (const text of [
      'BMW and others',
      'MZ is a place',
      'ID3 tags',
      'PAR1 is a file',
      'GIF is a format',
      'Rar!',
      'AC10 rules',
    ])
      expect(detectType(Buffer.from(text), 'a.txt')).toBe('txt');
    expect(
      detectType(lines('ACGTTGCAACGTTGCAACGTTGCAACGTTGCAACGTTGCAACGTTGCAACGTTGCAACGTTGCA', 40), 'a.txt'),
    ).toBe('txt');
  });

  it('or as unknown', async () => {
    expect(await failureOf(Buffer.alloc(100, 1), 'a.xyz')).toMatchObject({
      message: /^The file has none of the supported types: pdf, docx/,
    });
  });
});

test('an Office file under a password is refused as such', async () => {
  const file = writeCompound({ EncryptedPackage: Buffer.alloc(5000), EncryptionInfo: wide('x') });
  expect(await failureOf(file, 'a.docx')).toMatchObject({ code: 'FILE_ENCRYPTED' });
});
