/** Detects a file's type from its bytes and its name. */
import { describe, expect, it } from 'vitest';
import { detectType, typeByName } from './detect-type.ts';
import { writeZip, type ZipEntry } from './testing/write-zip.ts';

const bytes = (text: string) => Buffer.from(text, 'latin1');
/** Each byte value occurs equally often. */
const NOISE = Buffer.from(Array.from({ length: 1024 }, (_, i) => (i * 167 + (i >> 8) * 13) & 0xff));
const zip = (entry: string) => bytes(`PK\x03\x04${'\0'.repeat(22)}\x08\0\0\0${entry}`);

describe('detectType', () => {
  const byContent: [reason: string, content: Buffer, fileName: string, type: string][] = [
    ['a PDF with any name', bytes('%PDF-1.7\n'), 'a.docx', 'pdf'],
    ['a PDF may begin with other bytes', bytes(`${'x'.repeat(500)}%PDF-1.4`), 'a.pdf', 'pdf'],
    ['a zip with a Word document', zip('word/document.xml'), 'a', 'docx'],
    ['a zip with a presentation', zip('ppt/presentation.xml'), 'a', 'pptx'],
    ['a zip with a workbook', zip('xl/workbook.xml'), 'a', 'xlsx'],
    ['a zip that names its type', zip('mimetypeapplication/vnd.oasis.opendocument.text'), 'a', 'odt'],
    ['an EPUB names its type too', zip('mimetypeapplication/epub+zip'), 'a', 'epub'],
    ['RTF', bytes('{\\rtf1\\ansi'), 'a.txt', 'rtf'],
    ['HTML by its doctype', bytes('\n<!-- x -->\n<!DOCTYPE html><p>'), 'a.txt', 'html'],
    ['XHTML after an XML declaration', bytes('<?xml version="1.0"?>\n<html xmlns="x">'), 'a.xml', 'html'],
    ['HTML in UTF-16', Buffer.from('\ufeff<html><p>text', 'utf16le'), 'a', 'html'],
    [
      'XHTML after comments and instructions',
      bytes('<?xml version="1.0"?>\n<!-- by a tool -->\n<?tool x="1"?>\n<html xmlns="x">'),
      'a.xhtml',
      'html',
    ],
    [
      'XHTML after a long comment',
      bytes(`<?xml version="1.0"?><!--${'-'.repeat(9000)}--><html>`),
      'a',
      'html',
    ],
    ['XHTML with a prefix', bytes('<?xml version="1.0"?><x:html xmlns:x="y">'), 'a.xml', 'html'],
    [
      'XML with a comment before another root',
      bytes('<?xml version="1.0"?><!-- <html> --><note/>'),
      'a',
      'xml',
    ],
    ['a program that writes a page', bytes('<?php echo 1 ?><html>'), 'a.php', 'txt'],
    [
      'OpenDocument as one XML file',
      bytes(
        '<?xml version="1.0"?>\n<office:document xmlns:a="b" ' +
          'office:mimetype="application/vnd.oasis.opendocument.presentation">',
      ),
      'a.fodp',
      'odp',
    ],
    [
      'an OpenDocument spreadsheet as one XML file',
      bytes(
        '<?xml version="1.0"?><office:document office:mimetype="application/vnd.oasis.opendocument.spreadsheet">',
      ),
      'a.fods',
      'ods',
    ],
    [
      'a workbook of Excel 2003 as one XML file',
      bytes(
        '<?xml version="1.0"?>\n<?mso-application progid="Excel.Sheet"?>\n' +
          '<Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet">',
      ),
      'a.xml',
      'xls',
    ],
    ['XML by its declaration', bytes('<?xml version="1.0"?><note/>'), 'a', 'xml'],
    ['a zip of anything else', zip('photo.jpg'), 'a', 'zip'],
    ['an archive without entries', bytes(`PK\x05\x06${'\0'.repeat(18)}`), 'a', 'zip'],
    [
      'a tar archive of texts',
      bytes(`note.txt${'\0'.repeat(249)}ustar\0${'a text\n'.repeat(300)}`),
      'a',
      'zip',
    ],
    [
      'a tar archive of a PDF',
      bytes(`a.pdf${'\0'.repeat(252)}ustar\0${'\0'.repeat(249)}%PDF-1.7\n`),
      'a',
      'zip',
    ],
    ['what gzip has packed', bytes('\x1f\x8b\x08\0\0\0\0\0'), 'a', 'zip'],
    ['text in a file that is named .pdf', bytes('only plain text'), 'a.pdf', 'txt'],
  ];
  it.each(byContent)('%s', (_reason, content, fileName, type) =>
    expect(detectType(content, fileName)).toBe(type),
  );

  const odf = 'application/vnd.oasis.opendocument.';
  const wordType = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml';
  const manifest =
    `<manifest:manifest><manifest:file-entry manifest:full-path="Object 1/" manifest:media-type="${odf}chart"/>` +
    `<manifest:file-entry manifest:media-type="${odf}spreadsheet" manifest:full-path="/"/></manifest:manifest>`;
  const contentTypes =
    '<Types>' +
    '<Default Extension="xlsx" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"/>' +
    `<Override PartName="/doc/main.xml" ContentType="${wordType}"/></Types>`;
  const archives: [reason: string, entries: ZipEntry[], type: string | undefined][] = [
    ['a type that is named last and deflated', [{ name: 'mimetype', content: `${odf}text` }], 'odt'],
    [
      'a type with a line end',
      [{ name: 'mimetype', content: `${odf}presentation\n`, isStored: true }],
      'odp',
    ],
    ['a template', [{ name: 'mimetype', content: `${odf}spreadsheet-template` }], 'ods'],
    ['an EPUB', [{ name: 'mimetype', content: 'application/epub+zip' }], 'epub'],
    ['a type that only the manifest names', [{ name: 'META-INF/manifest.xml', content: manifest }], 'ods'],
    ['a book without its type', [{ name: 'META-INF/container.xml', content: '<container/>' }], 'epub'],
    ['an Office file by content', [{ name: '[Content_Types].xml', content: contentTypes }], 'docx'],
    ['an Office file by a usual name', [{ name: 'xl/workbook.xml', content: 'x' }], 'xlsx'],
    ['a binary workbook', [{ name: 'xl/workbook.bin', content: 'x' }], 'xlsx'],
    ['an Office file in a folder', [{ name: 'backup/word/document.xml', content: 'x' }], 'zip'],
    ['a drawing', [{ name: 'mimetype', content: `${odf}graphics` }], undefined],
  ];
  it.each(archives)('detects an archive with %s', (_reason, entries, type) => {
    const file = writeZip([{ name: 'content.xml', content: 'word/document' }, ...entries]);
    expect(detectType(file, 'a')).toBe(type);
    expect(detectType(Buffer.concat([file, bytes('\0\0')]), 'a')).toBe(type);
  });

  it('detects no document in a directory that points outside the archive', () => {
    const file = writeZip([{ name: 'mimetype', content: `${odf}text` }]);
    for (let at = file.length - 80; at < file.length; at++) {
      const damaged = Buffer.from(file);
      damaged[at] = 0xff;
      expect(['zip', undefined, 'odt']).toContain(detectType(damaged, 'a'));
    }
  });

  const byName: [reason: string, content: string, fileName: string, type: string][] = [
    ['Markdown', '# x', 'readme.MD', 'md'],
    ['an HTML fragment', '<div>x</div>', 'x.htm', 'html'],
    ['a plain note in a file named .html', 'a < b', 'x.html', 'txt'],
    ['tab-separated values', 'a\tb', 'x.tsv', 'csv'],
    ['JSON', '{"a":1}', 'x.json', 'json'],
    ['text in a file named .json', 'see below', 'x.json', 'txt'],
    ['any other text', 'x = 1', 'x.py', 'txt'],
    ['text without an extension', 'x', 'README', 'txt'],
  ];
  it.each(byName)('%s', (_reason, content, fileName, type) =>
    expect(detectType(bytes(content), fileName)).toBe(type),
  );

  it('does not take the properties of every JavaScript object for extensions', () => {
    for (const name of Object.getOwnPropertyNames(Object.prototype)) {
      expect(detectType(bytes('x = 1'), `notes.${name}`)).toBe('txt');
      expect(typeByName(`notes.${name}`)).toBeUndefined();
    }
  });

  const unknown: [reason: string, content: Buffer][] = [
    ['an OLE file that is not a workbook', bytes('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 WordDocument')],
    ['zero bytes', Buffer.alloc(1000)],
    ['a program', bytes('\x7fELF\x02\x01\x01')],
    ['a small program for a virtual machine', bytes('\xca\xfe\xba\xbe\0\0\0\x3d')],
    ['ten control characters', bytes('\x01\x02\x03\x04\x05\x06\x0e\x0f\x10\0')],
    ['a few zero bytes', Buffer.alloc(5)],
    ['a text in EBCDIC', bytes('\xe3\x88\x85\x40\x83\x81\xa3\x40\xa2\x93\x85\x85\x97\xa2\x4b\x40'.repeat(3))],
    ['noise beyond ASCII', Buffer.from(NOISE.filter((byte) => byte >= 0x80))],
    ['a byte order mark before bytes that are not text', Buffer.concat([bytes('\xff\xfe'), NOISE])],
    ['a picture of black and white', bytes(`BM${'\0\xff\xff'.repeat(300)}`)],
    ['control characters all over', bytes('\x01\x02\x03a'.repeat(100))],
  ];
  it.each(unknown)('does not detect %s as text', (_reason, content) =>
    expect(detectType(content, 'a.txt')).toBeUndefined(),
  );

  it('detects a drawing in DOS characters and a list of prices as text', () => {
    const drawing = `\xdb\xdb\xb2\xb1\xb0${' release notes '}\xb0\xb1\xb2\xdb\xdb\n\xdf\xdf\xdf\xdf\n`;
    for (const text of [drawing.repeat(9), '\x80 5,00\n'.repeat(99)])
      expect(detectType(bytes(text), 'a.nfo')).toBe('txt');
  });

  it.each([
    ['a file that begins with zero bytes, as a truncated log', '\0'.repeat(100), 'a line\n'.repeat(50)],
    ['a file that ends with zero bytes, as after a crash', 'a line\n'.repeat(50), '\0'.repeat(100)],
  ])('detects %s as text', (_reason, start, end) =>
    expect(detectType(bytes(start + end), 'a.log')).toBe('txt'),
  );

  it('detects a text with one of each control character as text', () => {
    const controls = String.fromCharCode(...Array.from({ length: 32 }, (_, i) => i));
    expect(detectType(bytes(`text ${controls} between \x1b[31mcolours`), 'a.txt')).toBe('txt');
  });
});
