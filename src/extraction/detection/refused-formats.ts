/** The formats that are recognised and not read: their names, and what helps. */
// biome-ignore-all lint/suspicious/noControlCharactersInRegex: signatures of binary formats

import { OCR_IS_OFF } from '../extraction-error.ts';

/**
 * `begins`: how a file in this format begins (latin1). `holds`: names in a ZIP archive, which may go on, or in a
 * compound file. `extensions`: of files that are no text; of formats with the same names inside, the extension decides.
 */
export type RefusedFormat = {
  name: string;
  help: string;
  begins?: RegExp;
  holds?: string[];
  extensions: string;
};

const OCR = 'recognise its text by an OCR program first, and import the PDF or text';
const OCR_OFF = `${OCR}; ${OCR_IS_OFF}`;
const TRANSCRIPT = 'import its transcript or its subtitles (.srt, .vtt)';
const UNPACK = 'unpack it, and import its files or a ZIP archive of them';
const AS_PDF = 'export it as PDF';
const AS_WORD = 'save it as .docx or PDF';
const AS_TABLES = 'export its tables as CSV or Excel (.xlsx)';
const NOTHING = 'it holds no text for readers';
const IWORK = ['Index/Document.iwa', 'Index.zip', 'index.apxl', 'buildVersionHistory.plist'];

// biome-ignore format: a table, one format a line
const ROWS: [name: string, help: string, extensions: string, by?: RegExp | string[]][] = [
  ['a PNG picture', OCR_OFF, 'png', /^\x89PNG/],
  ['a JPEG picture', OCR_OFF, 'jpg jpeg jfif', /^\xff\xd8\xff/],
  ['a GIF picture', OCR_OFF, 'gif', /^GIF8[79]a/],
  ['a TIFF picture', OCR_OFF, 'tif tiff', /^(?:II\*\0|MM\0\*)/],
  ['a WebP picture', OCR_OFF, 'webp', /^RIFF.{4}WEBP/s],
  ['a BMP picture', OCR_OFF, 'bmp', /^BM.{12}[\x28\x34\x38\x40\x6c\x7c]\0\0\0/s],
  ['a HEIC or AVIF picture', OCR, 'heic heif avif', /^.{4}ftyp(?:hei|hev|mif|msf|avi)/s],
  ['a Photoshop picture', OCR, 'psd psb', /^8BPS\0/],
  ['a DjVu document', 'convert it to a PDF with text', 'djvu djv', /^AT&TFORM/],
  ['a picture', OCR, 'ico emf wmf wmz emz jp2 jxl xcf dcm raw cr2 nef arw dng tga icns',
    /^(?:BM|\0\0\x01\0|\xd7\xcd\xc6\x9a|\x01\0\0\0.{36} EMF|\0\0\0\x0cjP {2}|.{128}DICM)/s],
  ['a sound recording', TRANSCRIPT, 'mp3 m4a wav flac ogg oga opus aac aif aiff amr wma mid midi',
    /^(?:ID3|\xff[\xe2-\xfd]|fLaC|OggS|RIFF.{4}WAVE|MThd\0|FORM.{4}AIF|#!AMR|.{4}ftypM4A)/s],
  ['a video', TRANSCRIPT, 'mp4 m4v mov mkv webm avi flv wmv mpg mpeg mts 3gp',
    /^(?:.{4}(?:ftyp|moov|mdat)|\x1a\x45\xdf\xa3|RIFF.{4}AVI|FLV\x01|\0\0\x01[\xb3\xba]|0&\xb2\x75\x8e\x66\xcf)/s],
  ['an Apple iWork document', 'export it as PDF or in an Office format', '', IWORK],
  ['an Apple Pages document', 'export it as PDF or Word (.docx)', 'pages', IWORK],
  ['an Apple Numbers document', 'export it as Excel (.xlsx) or CSV', 'numbers', IWORK],
  ['an Apple Keynote document', 'export it as PDF or PowerPoint (.pptx)', 'key', IWORK],
  ['a Safari web archive', 'save the page as HTML or PDF', 'webarchive', /^bplist00/],
  ['a Visio drawing', AS_PDF, 'vsd vsdx vsdm', ['visio/document.xml', 'VisioDocument']],
  ['a Publisher document', AS_PDF, 'pub', ['Quill']],
  ['a OneNote notebook', 'export it as PDF or Word (.docx)', 'one onetoc2 onepkg',
    /^(?:\xe4\x52\x5c\x7b\x8c\xd8|\xa1\x2f\xff\x43\xd9\xef)/],
  ['a Project plan', 'export it as Excel (.xlsx) or PDF', 'mpp mpt', ['   114', '   112', '   19', '   1']],
  ['a Works document', AS_WORD, 'wps wks wdb', ['MatOST']],
  ['a StarOffice document', AS_WORD, 'sdw sdc sda sdd',
    ['StarWriterDocument', 'StarCalcDocument', 'StarDrawDocument3']],
  ['a Hangul document', AS_WORD, 'hwp hwpx', ['\x05HwpSummaryInformation', 'Contents/content.hpf']],
  ['a WordPerfect document', AS_WORD, 'wpd wp wp5', /^\xffWPC/],
  ['a Word document of before 1997', AS_WORD, '', /^(?:\xdb\xa5[\x2d-\x68]\0|\x31\xbe\0\0\0\xab|\xfe\x37\0\x1c)/],
  ['a PowerPoint presentation of before 1997', 'save it as .pptx or PDF', '', ['PP40']],
  ['an Excel workbook of before 1993', 'save it as .xlsx', '', /^\x09[\0\x02\x04][\x04\x06]\0/],
  ['an OpenDocument drawing or formula', AS_PDF, 'odg otg odf odc odb odi'],
  ['an XPS document', AS_PDF, 'xps oxps', ['FixedDocSeq', 'FixedDocumentSequence']],
  ['a PostScript file', AS_PDF, 'ps eps ai', /^\xc5\xd0\xd3\xc6/],
  ['a Kindle book', 'convert it to EPUB', 'mobi azw azw3 kfx prc', /^(?:.{60}(?:BOOKMOBI|TEXtREAd)|TPZ0)/s],
  ['a Windows help file', AS_PDF, 'chm hlp', /^(?:ITSF|\?_\x03\0)/],
  ['an InDesign document', AS_PDF, 'indd', /^\x06\x06\xed\xf5\xd8\x1d\x46\xe5/],
  ['a CAD drawing', AS_PDF, 'dwg dgn', /^(?:AC10\d\d|AutoCAD Binary DXF)/],
  ['a TeX output file', AS_PDF, 'dvi', /^\xf7\x02\x01\x83\x92/],
  ['an Outlook mailbox', 'save its mails as .msg or .eml, and import a ZIP archive of them', 'pst ost', /^!BDN/],
  ['Outlook’s own container of attachments', 'ask the sender for a mail in HTML', 'tnef', /^\x78\x9f\x3e\x22/],
  ['a signed or encrypted message (S/MIME)', 'save it from the mail program without signature and encryption',
    'p7m p7s',
    /^\x30[\x80-\x84].{0,4}\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07/s],
  ['a key or certificate', NOTHING, 'p12 pfx cer crt der jks'],
  ['a part of a split archive', 'join its parts into one ZIP archive', 'z01 z02', /^PK\x07\x08/],
  ['a 7-Zip archive', UNPACK, '7z', /^7z\xbc\xaf/],
  ['a RAR archive', UNPACK, 'rar', /^Rar!\x1a/],
  ['an archive', UNPACK, 'xz bz2 tbz2 zst lz4 cab rpm deb lzh lha z arj ace sit sitx',
    new RegExp(String.raw`^(?:\xfd7zXZ|BZh\d(?:1AY&SY|\x17rE8P\x90)|\x28\xb5\x2f\xfd|\x04\x22\x4d\x18|MSCF\0|` +
      String.raw`\xed\xab\xee\xdb|!<arch>\n|..-lh\d-|\x1f\x9d|.{7}\*\*ACE)`, 's')],
  ['a disk image', 'copy its files, and import these', 'iso dmg img vhd vhdx vmdk', /^conectix/],
  ['an SQLite database', AS_TABLES, 'sqlite sqlite3 db', /^SQLite format 3\0/],
  ['an Access database', AS_TABLES, 'mdb accdb', /^\0\x01\0\0Standard /],
  ['a data file for programs', AS_TABLES,
    'parquet orc avro h5 hdf5 sav dta sas7bdat npy npz pkl pickle rdata rds dbf shp mat feather',
    /^(?:PAR1|ARROW1\0|ORC\n|Obj\x01|\x89HDF|\$FL2|\x93NUMPY|\0\0\x27\n)/],
  ['a font', NOTHING, 'ttf otf woff woff2 eot', /^(?:wOFF|wOF2|OTTO\0|ttcf\0|\0\x01\0\0\0)/],
  ['a program', NOTHING, 'exe dll so dylib class jar apk ipa msi o a pyc lnk swf',
    /^(?:MZ|\x7fELF|\xca\xfe\xba\xbe|[\xce\xcf]\xfa\xed\xfe|\0asm|dex\n|\x4c\0\0\0\x01\x14\x02\0)/],
  ['an Android program', NOTHING, '', ['AndroidManifest.xml']],
];

export const REFUSED_FORMATS: RefusedFormat[] = ROWS.map(([name, help, extensions, by]) => {
  const recognised = by instanceof RegExp ? { begins: by } : by && { holds: by };
  return { name, help, extensions, ...recognised };
});

/** Formats that are text for a program, and noise for a reader. */
// biome-ignore format: a table, one format a line
const TEXT_ROWS: [name: string, help: string, begins: RegExp][] = [
  ['a PostScript file', AS_PDF, /^\x04?%!(?:PS|FontType)/],
  ['a CAD drawing', AS_PDF, /^\s*(?:999\r?\n[^\n]*\n\s*)*0\r?\n\s*SECTION\r?\n/],
  ['a signed or encrypted message (S/MIME)', 'save it from the mail program without signature and encryption',
    /^-----BEGIN (?:PKCS7|CMS)-----/],
  ['a message encrypted by PGP', 'decrypt it first', /^\s*-----BEGIN PGP MESSAGE-----/],
  ['a key or certificate', NOTHING, /^-----BEGIN [A-Z0-9 ]{0,30}(?:CERTIFICATE|KEY|KEY BLOCK|REQUEST|SIGNATURE)-----/],
  ['a text that packs a file', UNPACK,
    /^(?:begin(?:-base64)? [0-7]{3,4} \S[^\n]*\n[ -`]+\r?\n|\(This file must be converted with BinHex|=ybegin )/],
  ['a file packed as text (base64)', UNPACK,
    /^(?=[^\n]*\d)(?=[^\n]*[a-z])(?=[^\n]*[A-Z])(?:[A-Za-z0-9+/]{60,80}\r?\n){20}/],
  ['a link to a Google document', 'download the document itself as .docx, .xlsx or PDF',
    /^\{\s*"(?:":\s*"WARNING! DO NOT EDIT|url":\s*"https:\/\/docs\.google\.com)/],
];

export const REFUSED_TEXTS: RefusedFormat[] = TEXT_ROWS.map(([name, help, begins]) => ({
  name,
  help,
  begins,
  extensions: '',
}));
