/** Subtitles are text with times: what is said, once, and when. */
import { describe, expect, it, test } from 'vitest';
import { extractFile } from '../extract.ts';

const read = async (content: string, fileName: string) => {
  const extraction = await extractFile({ fileName, bytes: Buffer.from(content) });
  if ('failure' in extraction) throw new Error(`${extraction.failure.code}: ${extraction.failure.message}`);
  return extraction;
};
/** The text of each cue with the second at which it begins. */
const cuesOf = async (content: string, fileName: string) => {
  const { text, times = [] } = (await read(content, fileName)).extracted;
  return times.map(({ offset, seconds }, i) => [seconds, text.slice(offset, times[i + 1]?.offset).trim()]);
};

test('SubRip: times, lines of a cue, a pause as a paragraph, tags left out', async () => {
  const srt =
    '1\r\n00:00:01,500 --> 00:00:03,000\r\nIt is <i>raining</i>\r\nagain.\r\n\r\n' +
    '2\r\n00:00:03,100 --> 00:00:04,000\r\n{\\an8}- Really?\r\n- Yes.\r\n\r\n' +
    '3\r\n01:00:10,000 --> 01:00:12,000\r\n2024\r\n\r\nwas wet: 3 < 4.\r\n\r\n4';
  const { type, extracted } = await read(srt, 'a.srt');
  expect(type).toBe('srt');
  expect(extracted.text).toBe('It is raining again.\n- Really?\n- Yes.\n\n2024 was wet: 3 < 4.');
  expect(extracted.times?.map(({ seconds }) => seconds)).toEqual([1.5, 3.1, 3610]);
  expect(await cuesOf(srt, 'a.txt')).toEqual([
    [1.5, 'It is raining again.'],
    [3.1, '- Really?\n- Yes.'],
    [3610, '2024 was wet: 3 < 4.'],
  ]);
});

describe('WebVTT', () => {
  it('names voices where they begin, and leaves out notes, styles and identifiers', async () => {
    const vtt =
      'WEBVTT - a talk\n\nNOTE not\nshown\n\nSTYLE\n::cue { color: red }\n\nfirst\n00:01.000 --> ' +
      '00:02.000 align:start\n' +
      '<v.loud Esme>It’s a <c.blue>blue</c> apple &amp; tree!</v>\n\n00:02.000 --> 00:03.000\n<v Esme>Hee!\n\n' +
      '00:03.000 --> 00:04.000\n<v Mary>No&nbsp;way!\n';
    expect((await read(vtt, 'a.vtt')).type).toBe('vtt');
    expect(await cuesOf(vtt, 'a.vtt')).toEqual([
      [1, 'Esme: It’s a blue apple & tree!'],
      [2, 'Hee!'],
      [3, 'Mary: No way!'],
    ]);
  });

  it('says once what rolls up through automatic captions', async () => {
    const vtt =
      'WEBVTT\n\n00:00.000 --> 00:02.000\n \nwelcome<00:00:00.500><c> to</c><c> the</c>\n\n' +
      '00:02.000 --> 00:02.010\nwelcome to the\n \n\n00:02.010 --> 00:04.000\nwelcome to the\nmuseum' +
      '<00:00:03.000><c> of</c>\n';
    expect(await cuesOf(vtt, 'a.vtt')).toEqual([
      [0, 'welcome to the'],
      [2.01, 'museum of'],
    ]);
  });
});

test('SubStation Alpha: dialogue in the order of its times', async () => {
  const ass =
    '[Script Info]\nTitle: a\n\n[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, ' +
    'MarginV, Effect, Text\n' +
    'Dialogue: 0,0:00:05.00,0:00:06.00,Default,,0,0,0,,Later, and on\\Na line.\n' +
    'Comment: 0,0:00:00.00,0:00:06.00,Default,,0,0,0,,not shown\n' +
    'Dialogue: 0,0:00:01.50,0:00:02.00,Default,,0,0,0,,{\\i1}Sooner{\\i0}.\n';
  expect(await cuesOf(ass, 'a.ass')).toEqual([
    [1.5, 'Sooner.'],
    [5, 'Later, and on a line.'],
  ]);
});

test('SBV and TTML: times, lines of a cue, parts with times of their own', async () => {
  const sbv = '0:00:01.000,0:00:03.000\nHello\nthere\n\n0:00:03.500,0:00:05.000\n>> All\n';
  expect(await cuesOf(sbv, 'a.sbv')).toEqual([
    [1, 'Hello there'],
    [3.5, '>> All'],
  ]);
  const ttml = (attributes: string, body: string) =>
    `<?xml version="1.0"?>\n<tt xml:lang="en" xmlns="http://www.w3.org/ns/ttml" ${attributes}><head>` +
    `<metadata><x>no</x></metadata></head><body>${body}</body></tt>`;
  const cues = await cuesOf(
    ttml(
      'xmlns:ttp="http://www.w3.org/ns/ttml#parameter" ttp:frameRate="25" ttp:tickRate="1000"',
      '<div begin="10s"><p begin="00:00:04.500" end="00:00:05.000">Later</p>' +
        '<p begin="1000t" dur="2s">Hello<br/>\n there &amp; all</p></div>' +
        '<p><span begin="00:00:01:05" end="2s">First</span> <span begin="2500ms">second</span></p>',
    ),
    'a.ttml',
  );
  expect(cues).toEqual([
    [1.2, 'First'],
    [2.5, 'second'],
    [11, 'Hello there & all'],
    [14.5, 'Later'],
  ]);
  expect((await read(ttml('', '<p begin="1s">x</p>'), 'a.xml')).type).toBe('srt');
  expect((await read('<tt><p>x</p></tt>', 'a.xml')).type).toBe('xml');
});

test('drawings of an .ass file are no text', async () => {
  const ass =
    '[Script Info]\n[Events]\nDialogue: 0,0:00:01.00,0:00:03.00,Default,,0,0,0,,{\\an7\\p1}m 0 0 l 10 10{\\p0}Shown\n';
  expect(await cuesOf(ass, 'a.ass')).toEqual([[1, 'Shown']]);
});

test('SAMI: each line until the next one, whatever its tags', async () => {
  const sami =
    '<SAMI>\n<HEAD><TITLE>Dock</TITLE><STYLE TYPE="text/css"><!--\nP {margin: 1pt}\n--></STYLE></HEAD>\n<BODY>\n' +
    '<SYNC Start=1000><P Class=ENCC>The <b>gulls</b> are<br>calling\n<SYNC Start=4200><P Class=ENCC>&nbsp;\n' +
    '<SYNC Start=65000><P Class=ENCC>Bring the lantern\n</BODY>\n</SAMI>\n';
  expect(await cuesOf(sami, 'a.smi')).toEqual([
    [1, 'The gulls are calling'],
    [65, 'Bring the lantern'],
  ]);
});

test.each([
  ['25.000', [1, 65]],
  ['The harbour', [1.043, 67.776]],
])('MicroDVD: frames as seconds, where the first line is %s', async (first, seconds) => {
  const frames = `{1}{1}${first}\n{25}{75}The gulls|are calling\n{1625}{}{y:i}Bring the lantern\n`;
  const cues = await cuesOf(frames, 'a.sub');
  expect(cues.slice(-2).map(([, text]) => text)).toEqual(['The gulls are calling', 'Bring the lantern']);
  expect(cues.slice(-2).map(([at]) => Math.round(Number(at) * 1000) / 1000)).toEqual(seconds);
});

test('lyrics: a line at each of its times, without the times of words', async () => {
  const lyrics =
    '[ti:Harbour Song]\n[length:02:10]\n\n[00:12.00]The gulls\n[00:17.20][01:05.10]Bring the lantern\n' +
    '[00:30.00]<00:30.10>Row <00:30.60>on\n';
  expect(await cuesOf(lyrics, 'a.lrc')).toEqual([
    [0, 'Harbour Song'],
    [12, 'The gulls'],
    [17.2, 'Bring the lantern'],
    [30, 'Row on'],
    [65.1, 'Bring the lantern'],
  ]);
});

test('a chat with the times of its lines stays as it is', async () => {
  const chat = '[10:42] Ada: Good morning.\n[10:43] Ben: Good morning.\n';
  expect((await read(chat, 'chat.txt')).extracted.text).toBe(chat);
});

test('lines without a time in a text that looks like lyrics or MicroDVD are not lost', async () => {
  const log =
    '[00:12.000] start\n[00:12.345] Error: no dock\n  at moor (quay.js:1)\n[by:Ulla]\n[00:14.000] end\n';
  expect(await cuesOf(log, 'a.log')).toEqual([
    [12, 'start'],
    [12.345, 'Error: no dock at moor (quay.js:1)'],
    [14, 'end'],
  ]);
  const notes = '{0}{25}One half\n{50}{75}Three quarters\nand prose\n';
  expect((await cuesOf(notes, 'a.txt')).map(([, text]) => text)).toEqual([
    'One half',
    'Three quarters and prose',
  ]);
});
