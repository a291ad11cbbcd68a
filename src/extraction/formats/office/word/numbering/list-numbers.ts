/** Writes the numbers of lists in the formats of Word (ECMA-376 part 1, 17.18.59): `iv`, `bb`, `2nd`, `二十三`. */
import { romanNumber } from '../../../../rendering/number-formats.ts';

/** Writes a number as Word shows it. Formats that are not known, and numbers that a format lacks, become decimal. */
export function listNumber(number: number, format: string): string {
  if (!Number.isInteger(number) || number < 0) return String(number);
  const alphabet = ALPHABETS.get(format);
  if (alphabet) return letters(number, Array.from(alphabet));
  const enclosed = ENCLOSED.get(format);
  if (enclosed !== undefined && number >= 1 && number <= 20)
    return String.fromCodePoint(enclosed + number - 1);
  const digits = DIGITS.get(format);
  if (digits) return String(number).replace(/\d/g, (digit) => Array.from(digits)[Number(digit)] ?? digit);
  const counting = COUNTING.get(format);
  if (counting && number > 0 && number < 100_000) return counted(number, counting);
  return (FORMATS.get(format) ?? String)(number);
}

const FORMATS = new Map<string, (number: number) => string>([
  ['decimalZero', (number) => String(number).padStart(2, '0')],
  ['upperRoman', (number) => romanNumber(number).toUpperCase()],
  ['lowerRoman', romanNumber],
  ['ordinal', (number) => `${number}${ordinalSuffix(number)}`],
  ['cardinalText', (number) => capitalised(cardinal(number))],
  ['ordinalText', (number) => capitalised(ordinal(number))],
  ['hex', (number) => number.toString(16).toUpperCase()],
  ['numberInDash', (number) => `- ${number} -`],
  ['digits 3', (number) => String(number).padStart(3, '0')],
  ['digits 4', (number) => String(number).padStart(4, '0')],
  ['digits 5', (number) => String(number).padStart(5, '0')],
  ['none', () => ''],
  ['bullet', () => ''],
]);

/** After the last letter each is doubled, then tripled: z, aa, bb. */
const ALPHABETS = new Map([
  ['upperLetter', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'],
  ['lowerLetter', 'abcdefghijklmnopqrstuvwxyz'],
  ['russianUpper', 'АБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЭЮЯ'],
  ['russianLower', 'абвгдежзиклмнопрстуфхцчшщэюя'],
  ['hebrew2', 'אבגדהוזחטיכלמנסעפצקרשת'],
  ['arabicAlpha', 'أبتثجحخدذرزسشصضطظعغفقكلمنهوي'],
  ['arabicAbjad', 'أبجدهوزحطيكلمنسعفصقرشتثخذضظغ'],
  ['thaiLetters', 'กขคงจฉชซฌญฎฏฐฑฒณดตถทธนบปผฝพฟภมยรลวศษสหฬอฮ'],
  ['hindiConsonants', 'कखगघङचछजझञटठडढणतथदधनपफबभमयरलवशषसह'],
  ['hindiVowels', 'अआइईउऊऋऌऍऎएऐऑऒओऔ'],
  ['aiueo', 'アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン'],
  [
    'aiueoFullWidth',
    'アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン',
  ],
  [
    'iroha',
    'イロハニホヘトチリヌルヲワカヨタレソツネナラムウヰノオクヤマケフコエテアサキユメミシヱヒモセスン',
  ],
  [
    'irohaFullWidth',
    'イロハニホヘトチリヌルヲワカヨタレソツネナラムウヰノオクヤマケフコエテアサキユメミシヱヒモセスン',
  ],
  ['ganada', '가나다라마바사아자차카타파하'],
  ['chosung', 'ㄱㄴㄷㄹㅁㅂㅅㅇㅈㅊㅋㅌㅍㅎ'],
  ['ideographTraditional', '甲乙丙丁戊己庚辛壬癸'],
  ['ideographZodiac', '子丑寅卯辰巳午未申酉戌亥'],
  ['chicago', '*†‡§'],
]);

/** The character for 1; those for 2 to 20 follow it. */
const ENCLOSED = new Map([
  ['decimalEnclosedCircle', 0x2460],
  ['decimalEnclosedCircleChinese', 0x2460],
  ['ideographEnclosedCircle', 0x2460],
  ['decimalEnclosedParen', 0x2474],
  ['decimalEnclosedFullstop', 0x2488],
]);

const DIGITS = new Map([
  ['decimalFullWidth', '０１２３４５６７８９'],
  ['decimalFullWidth2', '０１２３４５６７８９'],
  ['ideographDigital', '〇一二三四五六七八九'],
  ['japaneseDigitalTenThousand', '〇一二三四五六七八九'],
  ['taiwaneseDigital', '〇一二三四五六七八九'],
  ['koreanDigital', '영일이삼사오육칠팔구'],
  ['koreanDigital2', '零一二三四五六七八九'],
  ['hindiNumbers', '०१२३४५६७८९'],
  ['thaiNumbers', '๐๑๒๓๔๕๖๗๘๙'],
]);

/** Digits 0 to 9, and tens to ten thousands. `hasZeros`: 105 is 一百零五. `hasOnes`: 100 is 一百, not 百. */
type Counting = { digits: string; units: string; hasZeros: boolean; hasOnes: boolean };
const PLAIN = '零一二三四五六七八九';
const CHINESE: Counting = { digits: PLAIN, units: '十百千万', hasZeros: true, hasOnes: true };
const JAPANESE: Counting = { digits: PLAIN, units: '十百千万', hasZeros: false, hasOnes: false };
const COUNTING = new Map<string, Counting>([
  ['chineseCounting', CHINESE],
  ['chineseCountingThousand', CHINESE],
  ['taiwaneseCounting', CHINESE],
  ['taiwaneseCountingThousand', { ...CHINESE, units: '十百千萬' }],
  ['chineseLegalSimplified', { ...CHINESE, digits: '零壹贰叁肆伍陆柒捌玖', units: '拾佰仟万' }],
  ['ideographLegalTraditional', { ...CHINESE, digits: '零壹貳參肆伍陸柒捌玖', units: '拾佰仟萬' }],
  ['japaneseCounting', JAPANESE],
  ['japaneseLegal', { ...JAPANESE, digits: '零壱弐参四五六七八九', units: '拾百阡萬', hasOnes: true }],
  ['koreanCounting', { digits: '영일이삼사오육칠팔구', units: '십백천만', hasZeros: false, hasOnes: false }],
]);

function letters(number: number, alphabet: string[]): string {
  const letter = alphabet[(number - 1) % alphabet.length];
  const times = Math.ceil(number / alphabet.length);
  return letter === undefined || times > 10 ? String(number) : letter.repeat(times);
}

function counted(number: number, { digits, units, hasZeros, hasOnes }: Counting): string {
  const [places, signs] = [Array.from(units), Array.from(digits)];
  let written = '';
  for (let place = 4; place >= 0; place--) {
    const digit = Math.floor(number / 10 ** place) % 10;
    const unit = places[place - 1] ?? '';
    const isBare = digit === 1 && place > 0 && (!hasOnes || (place === 1 && written === ''));
    if (digit > 0) written += `${isBare ? '' : signs[digit]}${unit}`;
    else if (hasZeros && written !== '' && !written.endsWith('零') && number % 10 ** place > 0)
      written += '零';
  }
  return written;
}

function ordinalSuffix(number: number): string {
  if (number % 100 >= 11 && number % 100 <= 13) return 'th';
  return ['th', 'st', 'nd', 'rd'][number % 10] ?? 'th';
}

const ONES = (
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen ' +
  'eighteen nineteen'
).split(' ');
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');

/** In English, up to 99. */
function cardinal(number: number): string {
  if (number >= 100) return String(number);
  const tens = TENS[Math.floor(number / 10) - 2];
  const ones = ONES[tens === undefined ? number : number % 10] ?? '';
  if (tens === undefined) return ones;
  return number % 10 === 0 ? tens : `${tens}-${ones}`;
}

const IRREGULAR = new Map([
  ['one', 'first'],
  ['two', 'second'],
  ['three', 'third'],
  ['five', 'fifth'],
  ['eight', 'eighth'],
  ['nine', 'ninth'],
  ['twelve', 'twelfth'],
]);

function ordinal(number: number): string {
  const [, before = '', last = ''] = /^(.*?)([^-]*)$/.exec(cardinal(number)) ?? [];
  return before + (IRREGULAR.get(last) ?? (last.endsWith('y') ? `${last.slice(0, -1)}ieth` : `${last}th`));
}

const capitalised = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
