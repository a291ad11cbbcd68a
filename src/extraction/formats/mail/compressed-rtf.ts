/** Unpacks the Rich Text of a message in Outlook's files ([MS-OXRTFCP]). */

const COMPRESSED = 0x75465a4c; // LZFu
const UNCOMPRESSED = 0x414c454d; // MELA
const HEADER_LENGTH = 16;

/** The dictionary begins with what most texts contain (2.1.2.1). */
const COMMON =
  '{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript ' +
  '\\fdecor MS Sans ' +
  'SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u' +
  '\\tab\\tx';
const DICTIONARY_LENGTH = 4096;

/** The text as far as it goes; undefined where it is none. At most nine times as long as `packed`. */
export function unpackRtf(packed: Buffer): Buffer | undefined {
  if (packed.length < HEADER_LENGTH) return undefined;
  const type = packed.readUInt32LE(8);
  if (type === UNCOMPRESSED) return packed.subarray(HEADER_LENGTH);
  return type === COMPRESSED ? unpack(packed.subarray(HEADER_LENGTH)) : undefined;
}

/** Each bit of a control byte says of the next token whether it is a byte or a reference into the dictionary. */
function unpack(packed: Buffer): Buffer {
  const dictionary = Buffer.alloc(DICTIONARY_LENGTH);
  let at = dictionary.write(COMMON, 'latin1');
  const unpacked: number[] = [];
  const write = (byte: number): void => {
    unpacked.push(byte);
    dictionary[at] = byte;
    at = (at + 1) % DICTIONARY_LENGTH;
  };
  for (let i = 0; i < packed.length; ) {
    const control = packed[i++] ?? 0;
    for (let bit = 0; bit < 8 && i < packed.length; bit++) {
      if ((control & (1 << bit)) === 0) {
        write(packed[i++] ?? 0);
        continue;
      }
      const reference = ((packed[i] ?? 0) << 8) | (packed[i + 1] ?? 0);
      i += 2;
      const offset = reference >> 4;
      if (offset === at) return Buffer.from(unpacked); // the end
      for (let j = 0; j < (reference & 15) + 2; j++) write(dictionary[(offset + j) % DICTIONARY_LENGTH] ?? 0);
    }
  }
  return Buffer.from(unpacked);
}
