/** Numbers and dates are written as a sheet shows them. */
import { describe, expect, it, test } from 'vitest';
import { generalNumber, valueFormat } from '../number-format.ts';
import { formatCode } from './built-in-formats.ts';

const show = (code: string, value: number | string, epoch1904 = false) =>
  valueFormat(code, { epoch1904 }).number(String(value));

/** 7 March 2031, half past two in the afternoon. */
const DATE = 47914;
const MOMENT = 47914.60416666666;

test.each([
  ['dd.mm.yyyy', '07.03.2031'],
  ['d.m.yyyy', '7.3.2031'],
  ['DD.MM.YYYY', '07.03.2031'],
  ['dd.mm.yy', '07.03.31'],
  ['dd.mm.yyyy hh:mm', '07.03.2031 14:30'],
  ['yyyy.mm.dd. h:mm', '2031.03.07. 14:30'],
  ['dd.mm.', '07.03.'],
  ['dd\\.mm\\.yyyy', '07.03.2031'],
  ['dd"."mm"."yyyy', '07.03.2031'],
  ['d. mmmm yyyy', '7. March 2031'],
  ['[$-407]d. mmmm yyyy;@', '7. März 2031'],
  ['[$-407]d/\\ mmmm\\ yyyy', '7. März 2031'],
  ['[$-413]dd/mm/yyyy;@', '07-03-2031'],
  ['[$-809]dd/mm/yyyy;@', '07/03/2031'],
  ['[$-de-AT]dddd, d. mmmm yyyy', 'Freitag, 7. März 2031'],
  ['[$-419]d mmmm yyyy', '7 марта 2031'],
  ['[$-FC19]d mmmm yyyy\\ \\г.', '7 марта 2031 г.'],
  ['[$-C0A]dddd, dd" de "mmmm" de "yyyy', 'viernes, 07 de marzo de 2031'],
  ['[$-415]d mmmm yyyy', '7 marca 2031'],
  ['[$-1070000]d/m/yyyy', '7/3/2574'],
  ['[$-425]d. mmmm yyyy', '7. märts 2031'],
  ['[$-107041E]d mmmm yyyy', '7 มีนาคม 2574'],
  ['[$-F800]dddd, mmmm dd, yyyy', 'Friday, March 07, 2031'],
  ['[$-F400]h:mm:ss AM/PM', '2:30:00 PM'],
  ['[$-409]m/d/yyyy h:mm AM/PM;@', '3/7/2031 2:30 PM'],
  ['yyyy"年"m"月"d"日"', '2031年3月7日'],
  ['yyyy-mm-dd\\Thh:mm:ss.000', '2031-03-07T14:30:00.000'],
  ['mm:ss.0', '30:00.0'],
  ['[h]:mm', '1149950:30'],
  ['[$-411]ggge"年"m"月"d"日"', '令和13年3月7日'],
  ['[$-ja-JP]gge.mm.dd', '令13.03.07'],
  ['[$-411]gee', 'R13'],
  ['[$-409]"e"yyyy', 'e2031'],
])('the date format %s', (code, shown) => {
  expect(show(code, MOMENT)).toBe(shown);
});

test.each([
  ['0.00', 1234.5, '1234.50'],
  ['#,##0', 1234567, '1,234,567'],
  ['_-* #,##0.00\\ "€"_-;\\-* #,##0.00\\ "€"_-', -1234.5, '-1,234.50 €'],
  ['0.0%', 0.256, '25.6%'],
  ['0.00E+00', 12345, '1.23E+04'],
  ['# ?/?', 2.5, '2 1/2'],
  ['[$-407]# ?/?', 2.5, '2 1/2'],
  ['# ?/?', 99.999, '100'],
  ['# ??/16', -1.99, '-2'],
  ['?/?', 1, '1/1'],
  ['#,##0.00\\ [$€-407]', 1234.5, '1,234.50 €'],
  ['[$kr-406] #,##0', 1234.5, 'kr 1,235'],
  ['[Red][<0]-0.0;[>=1000]0.0,"k";0', 47914, '47.9k'],
  ['[<=9999999]###-####;(###) ###-####', 5551234567, '(555) 123-4567'],
  ['00000', 1067, '01067'],
  ['+0;-0;"none"', 0, 'none'],
  ['General" kg"', 4006381333931, '4006381333931 kg'],
  ['"General: "General', 4006381333931, 'General: 4006381333931'],
  ['@', 491701234567, '491701234567'],
  ['[h]:mm', -0.5, '-12:00'],
  ['[h]:mm', -0.0854629, '-2:03'],
  ['[<-10]0" low"', -11, '-11 low'],
  ['[<-10]0" low"', -5, '-5'],
  ['[Red][<0]0.0;0', -5, '5.0'],
  ['0.0e+00', 12345, '1.2E+04'],
  ['h:mm a/p', 0.6, '2:24 P'],
  ['[>100]0;[<50]0', 70, '70'],
])('%s shows %s as %s', (code, value, shown) => {
  expect(show(code, value)).toBe(shown);
});

test.each([
  ['4006381333931', '4006381333931'],
  ['356938035643809', '356938035643809'],
  ['4111111111111111', '4111111111111111'],
  ['4.006381333931E12', '4006381333931'],
  ['-4.006381333931E+12', '-4006381333931'],
  ['0.30000000000000004', '0.3'],
  ['19.989999999999998', '19.99'],
  ['52.520006599999', '52.5200066'],
  ['123456789012.5', '123456789012.5'],
  ['1.5E-11', '1.5E-11'],
  ['1E+300', '1E+300'],
  ['007', '007'],
  ['', ''],
  ['N/A', 'N/A'],
])('the general format shows %s as %s', (written, shown) => {
  expect(generalNumber(written)).toBe(shown);
  expect(show('General', written)).toBe(shown);
});

describe('a built-in format', () => {
  it.each([
    [14, DATE, '2031-03-07'],
    [22, MOMENT, '2031-03-07 14:30'],
    [15, DATE, '7-Mar-2031'],
    [17, DATE, 'Mar-2031'],
    [20, MOMENT, '14:30'],
    [27, DATE, '2031-03-07'],
    [34, DATE, '2031-03-07'],
    [34, 0.5, '12:00:00'],
    [45, MOMENT, '30:00'],
    [46, 1.5, '36:00:00'],
    [47, MOMENT, '30:00.0'],
    [49, 4006381333931, '4006381333931'],
    [58, DATE, '2031-03-07'],
  ])('%i has an unambiguous date with a year of four digits', (id, value, shown) => {
    expect(show(formatCode(id), value)).toBe(shown);
  });

  it('is recognised where the file spells it out', () => {
    expect(show(formatCode(14, 'mm-dd-yy'), DATE)).toBe('2031-03-07');
    expect(show(formatCode(14, 'm/d/yyyy'), DATE)).toBe('3/7/2031');
    expect(show(formatCode(170, 'm/d/yy'), DATE)).toBe('3/7/31');
    expect(formatCode(999)).toBe('General');
  });
});

test('dates count from 1904 where the workbook says so, and durations do not', () => {
  expect(show('dd.mm.yyyy', DATE - 1462, true)).toBe('07.03.2031');
  expect(show('[h]:mm', 1.5, true)).toBe('36:00');
});

test.each([
  ['[$-2000401]#,##0.0', '١٢٬٣٤٥٫٠'],
  ['[$-3000429]0', '۱۲۳۴۵'],
  ['[$-4000439]0', '१२३४५'],
  ['[$-D07041E]0', '๑๒๓๔๕'],
  ['[$-12000453]0', '១២៣៤៥'],
  ['[$-41E]0', '12345'],
  ['[DBNum1][$-804]General', '12345'],
])('digits by the code %s have the shape of their script', (code, expected) => {
  expect(show(code, 12345)).toBe(expected);
});

test('an invalid code, or one that is no date for the number, leaves the number', () => {
  expect(show('Standard', 12.5)).toBe('12.5');
  expect(show('dd.mm.yyyy', 4006381333931)).toBe('4006381333931');
  expect(show('dd.mm.yyyy 0', DATE)).toBe('2031-03-07 0:00');
  expect(show('0'.repeat(10_000), 5)).toBe('5');
  expect(show('__proto__', 5)).toBe('5');
  expect(show('constructor', 5)).toBe('5');
});

test('texts change only by a section for texts', () => {
  const textOf = (code: string) => valueFormat(code, { epoch1904: false }).text('Kettle');
  expect(textOf('0.00')).toBe('Kettle');
  expect(textOf('@')).toBe('Kettle');
  expect(textOf('0;-0;0;"No. "@')).toBe('No. Kettle');
  expect(textOf(';;;')).toBe('');
});
