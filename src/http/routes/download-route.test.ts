/** Which part of a file a Range header asks for (RFC 9110, section 14). */
import { expect, test } from 'vitest';
import { readRange } from './download-route.ts';

test.each([
  ['bytes=0-0', 0, 0],
  ['bytes=0-9', 0, 9],
  ['bytes=3-', 3, 9],
  ['bytes=3-100', 3, 9],
  ['bytes=-4', 6, 9],
  ['bytes=-100', 0, 9],
  ['Bytes=5-6', 5, 6],
])('%s of ten bytes', (header, start, end) => {
  expect(readRange(header, 10)).toEqual({ start, end });
});

test.each(['', 'bytes=', 'bytes=-', 'bytes=5-3', 'bytes=a-b', 'bytes=0-1,3-4', 'bytes 0-1', 'lines=0-1'])(
  '%j is ignored: the whole file is the answer',
  (header) => {
    expect(readRange(header, 10)).toBeUndefined();
  },
);

test.each(['bytes=10-', 'bytes=10-20', 'bytes=-0', `bytes=${'9'.repeat(400)}-`])(
  '416 RANGE_NOT_SATISFIABLE: %s of ten bytes',
  (header) => {
    expect(() => readRange(header, 10)).toThrow(
      expect.objectContaining({
        status: 416,
        headers: { 'content-range': 'bytes */10' },
        data: { size: 10 },
      }),
    );
  },
);
