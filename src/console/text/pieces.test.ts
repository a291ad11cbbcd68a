/** Ranges of code points mark the same characters that the service meant. */
import { expect, test } from 'vitest';
import { toMarks, toPieces } from './pieces.ts';

test('ranges count characters, also beyond the Basic Multilingual Plane', () => {
  const text = '😀 wörld 知识';
  const marks = toMarks(text, [
    { start: 2, end: 7 },
    { start: 8, end: 10 },
  ]);
  expect(toPieces(text, marks)).toEqual([
    { text: '😀 ', isMarked: false },
    { text: 'wörld', isMarked: true },
    { text: ' ', isMarked: false },
    { text: '知识', isMarked: true },
  ]);
});

test('no text is lost or doubled, whatever the ranges are', () => {
  const ranges = [
    { start: 0, end: 2 },
    { start: 1, end: 3 },
    { start: 2, end: 9 },
    { start: 3, end: 4 },
  ];
  const pieces = toPieces('abcd', toMarks('abcd', ranges));
  expect(pieces.map(({ text }) => text).join('')).toBe('abcd');
  expect(pieces.filter(({ isMarked }) => isMarked).map(({ text }) => text)).toEqual(['ab', 'd']);
});

test('a part of a text has the marks of its place', () => {
  const marks = toMarks('one two three', [
    { start: 0, end: 3 },
    { start: 4, end: 7 },
  ]);
  expect(toPieces('wo th', marks, 5)).toEqual([
    { text: 'wo', isMarked: true },
    { text: ' th', isMarked: false },
  ]);
});
