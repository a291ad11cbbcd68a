/** Formats that are recognised by their content. */
import { describe, expect, it, test } from 'vitest';
import { detectType } from '../detect-type.ts';
import { writeCompound } from '../testing/compound/write-compound.ts';

const latin1 = (text: string) => Buffer.from(text, 'latin1');

describe('a mail', () => {
  const received = 'Received: from a by b; Mon, 3 Jun 2024\r\n\tby way of c\r\n';
  it.each([
    ['by headers that people and programs write', `${received}Subject: Keys\r\n\r\nText`, 'a', 'eml'],
    ['by them alone, whatever the name is', `Message-ID: <1@a>\nFrom: a\n\n<html>`, 'a.txt', 'eml'],
    ['behind what many servers have written', `${received.repeat(400)}From: a\n\nText`, 'a', 'eml'],
    ['by one header where it is named so', 'Subject: Keys\n\nText', 'a.eml', 'eml'],
    [
      'by the separator of mailboxes',
      'From a@b Mon Jun  3 09:00:00 2024\nX-Status: A\n\nText',
      'a.mbox',
      'eml',
    ],
    [
      'that consists of parts alone',
      'MIME-Version: 1.0\nContent-Type: multipart/signed; boundary=b\n\n',
      'a.p7s',
      'eml',
    ],
    ['not by headers in which a note may begin', 'From: Ada\nTo: Bob\nSubject: Keys\n\nText', 'a.txt', 'txt'],
    ['not by headers after other text', `A note.\n${received}Subject: Keys\n\nText`, 'a.txt', 'txt'],
    [
      'not by names that a configuration has, too',
      'date: 2024\nsubject: a\nreferences:\n  - b\n\n',
      'a.yml',
      'txt',
    ],
    ['not by front matter', '---\ndate: 2024\n---\n# Text', 'a.md', 'md'],
    ['not by its name alone', 'No header here.', 'a.eml', 'txt'],
    ['that is a saved page', 'From: <Saved by Blink>\nSubject: a\nMIME-Version: 1.0\n\n', 'a', 'mhtml'],
    [
      'that is a page of an Office program',
      'MIME-Version: 1.0\nContent-Type: multipart/related; boundary=x\n\n',
      'a.doc',
      'mhtml',
    ],
  ])('is detected %s', (_how, content, fileName, type) => {
    expect(detectType(latin1(content), fileName)).toBe(type);
  });
});

test.each([
  ['WebVTT', '\ufeffWEBVTT - a talk\n\n00:01.000 --> 00:02.000\nHello', 'a.txt', 'vtt'],
  ['SubRip', '1\r\n00:00:01,000 --> 00:00:02,500\r\nHello', 'a', 'srt'],
  ['SubStation Alpha', '[Script Info]\nTitle: a', 'a.ass', 'srt'],
  ['a note about WEBVTT', 'WEBVTTs are files.', 'a', 'txt'],
  ['JSON by lines', '{"a": 1}\n{"a": 2}\n', 'a.jsonl', 'json'],
  ['JSON by lines in a log', '{"level": "info", "a": 1}\n{"level": "warn"}\n{"cut', 'a.log', 'json'],
  ['a log with one object in it', '{"a": 1}\nplain line\n', 'a.log', 'txt'],
  ['templates in a text', '{a}\n{b}\n', 'a.txt', 'txt'],
])('%s', (_what, content, fileName, type) => {
  expect(detectType(Buffer.from(content), fileName)).toBe(type);
});

test.each([
  ['WordDocument', 'doc'],
  ['PowerPoint Document', 'ppt'],
  ['Workbook', 'xls'],
  ['Book', 'xls'],
  ['__properties_version1.0', 'msg'],
])('a compound file with %s at its top is %s, whatever is embedded in it', (stream, type) => {
  const others = ['WordDocument', 'Workbook', 'EncryptedPackage'].map((name) => [
    `ObjectPool/_1/${name}`,
    latin1('x'),
  ]);
  const file = writeCompound({ ...Object.fromEntries(others), [stream]: Buffer.alloc(5000, 'x') });
  expect(detectType(file, 'a')).toBe(type);
});
