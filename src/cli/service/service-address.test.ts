/** Addresses as people give them: with slashes, or with a path of the service itself. */
import { expect, test } from 'vitest';
import { readAddress } from './service-address.ts';

test.each([
  ['http://127.0.0.1:8080/', 'http://127.0.0.1:8080'],
  ['https://kr.example.org/v1/', 'https://kr.example.org'],
  ['https://kr.example.org/base/v1', 'https://kr.example.org/base'],
  ['http://[::1]:8080/metrics', 'http://[::1]:8080'],
  ['https://kr.example.org/base/', 'https://kr.example.org/base'],
])('%s is %s', (text, address) => {
  expect(readAddress(text)).toBe(address);
});

test.each([
  'nonsense',
  '',
  'ftp://kr.example.org',
  'https://me@kr.example.org',
  'https://kr.example.org/?a=1',
])('"%s" is refused', (text) => {
  expect(() => readAddress(text)).toThrow(/^An address/);
});
