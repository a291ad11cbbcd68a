/** Automatic numbers are those that the reader sees. */
import { describe, expect, it } from 'vitest';
import { type PartFile, paragraph, readWord, run } from '../../../../testing/office-files.ts';

const textOf = async (...from: Parameters<typeof readWord>) => (await readWord(...from)).text;

describe('automatic numbers', () => {
  const level = (at: number, format: string, text: string, more = '') =>
    `<w:lvl w:ilvl="${at}"><w:start w:val="1"/>` +
    `<w:numFmt w:val="${format}"/>${more}<w:lvlText w:val="${text}"/></w:lvl>`;
  const CLAUSES =
    level(0, 'decimal', '%1.', '<w:pStyle w:val="Clause"/>') +
    level(1, 'decimal', '%1.%2') +
    level(2, 'lowerLetter', '(%3)') +
    level(3, 'upperRoman', 'Annex %4');
  const numbering = (levels: string, nums = '', abstract = ''): PartFile => ({
    name: 'word/numbering.xml',
    type: 'numbering',
    content:
      `<w:numbering><w:abstractNum w:abstractNumId="7">${levels}</w:abstractNum>${abstract}` +
      `<w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num>${nums}</w:numbering>`,
  });
  const styles: PartFile = {
    name: 'word/styles.xml',
    type: 'styles',
    content:
      '<w:styles><w:style w:styleId="H1"><w:name w:val="heading 1"/></w:style>' +
      '<w:style w:styleId="Clause"><w:basedOn w:val="H1"/><w:pPr><w:numPr><w:numId w:val="1"/>' +
      '</w:numPr></w:pPr></w:style>' +
      '<w:style w:styleId="Sub"><w:basedOn w:val="Clause"/><w:pPr><w:outlineLvl w:val="9"/></w:pPr></w:style>' +
      '<w:style w:styleId="Linked" w:type="numbering"><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr>' +
      '</w:pPr></w:style></w:styles>',
  };
  const item = (text: string, at: number, list = 1) =>
    paragraph(run(text), `<w:numPr><w:ilvl w:val="${at}"/><w:numId w:val="${list}"/></w:numPr>`);
  const clause = (text: string) => paragraph(run(text), '<w:pStyle w:val="Clause"/>');

  it('stand before headings, clauses and items', async () => {
    const body = [
      clause('Term'),
      item('The lease begins.', 1),
      clause('Rent'),
      item('The rent is due.', 1),
      item('These reduce it:', 1),
      item('rain,', 2),
      item('closure.', 2),
      item('Heating', 3),
    ].join('');
    const { text, headings } = await readWord(body, numbering(CLAUSES), styles);
    expect(text).toBe(
      '1. Term\n\n1.1 The lease begins.\n\n2. Rent\n\n2.1 The rent is due.\n2.2 These reduce ' +
        'it:\n(a) rain,\n(b) closure.\nAnnex I Heating',
    );
    expect(headings.map((heading) => heading.text)).toEqual(['1. Term', '2. Rent']);
  });

  it('restart where a list says so, and count on where not', async () => {
    const nums =
      '<w:num w:numId="2"><w:abstractNumId w:val="7"/></w:num>' +
      '<w:num w:numId="3"><w:abstractNumId w:val="7"/><w:lvlOverride w:ilvl="0">' +
      '<w:startOverride w:val="5"/></w:lvlOverride></w:num>';
    const body = item('a', 0) + item('b', 0, 2) + item('c', 0, 3) + item('d', 0, 3) + item('e', 0);
    expect(await textOf(body, numbering(CLAUSES, nums))).toBe('1. a\n2. b\n5. c\n6. d\n7. e');
  });

  it('begin again after the level that they name', async () => {
    const levels =
      level(0, 'decimal', '%1') +
      level(1, 'decimal', '%1.%2') +
      level(2, 'decimal', '%3)', '<w:lvlRestart w:val="1"/>');
    const body = [0, 1, 2, 1, 2, 0, 2].map((at) => item('x', at)).join('');
    expect(await textOf(body, numbering(levels))).toBe('1 x\n1.1 x\n1) x\n1.2 x\n2) x\n2 x\n1) x');
  });

  it('are decimal in legal labels, bullets where they are bullets, and none where they are taken away', async () => {
    const levels =
      level(0, 'upperRoman', 'Article %1') +
      level(1, 'decimal', '%1.%2', '<w:isLgl/>') +
      level(2, 'bullet', '\uf0b7');
    const body =
      item('a', 0) +
      item('b', 1) +
      item('c', 2) +
      paragraph(run('d'), '<w:pStyle w:val="Clause"/><w:numPr><w:numId w:val="0"/></w:numPr>');
    expect(await textOf(body, numbering(levels), styles)).toBe('Article I a\n1.1 b\n- c\n\nd');
  });

  it('come from linked numbering styles', async () => {
    const nums = '<w:num w:numId="4"><w:abstractNumId w:val="8"/></w:num>';
    const abstract = '<w:abstractNum w:abstractNumId="8"><w:numStyleLink w:val="Linked"/></w:abstractNum>';
    expect(await textOf(item('a', 2, 4), numbering(CLAUSES, nums, abstract), styles)).toBe('(a) a');
  });
});
