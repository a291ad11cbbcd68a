/** How a picture has to be turned to stand upright: cameras store that beside the pixels (EXIF, tag Orientation). */
import { type GreyPicture, mirrored, turned } from './grey-picture.ts';
import { orientationOf } from './tiff-pages.ts';

/** EXIF data begin a segment of JPEG, and are a chunk of PNG and WebP. */
const MARKS = [
  Buffer.from('Exif\0\0', 'latin1'),
  Buffer.from('eXIf', 'latin1'),
  Buffer.from('EXIF', 'latin1'),
];
/** They come before the pixels, except in WebP, where they come last. */
const SEARCHED_LENGTH = 65_536;

/** The orientation of a picture file, 1 to 8; 1 (upright) where the file names none. */
export function orientationIn(bytes: Uint8Array): number {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (const part of [file.subarray(0, SEARCHED_LENGTH), file.subarray(-SEARCHED_LENGTH)])
    for (const mark of MARKS) {
      const at = part.indexOf(mark);
      if (at < 0) continue;
      // A chunk of WebP has its length between its name and the data.
      for (const start of [at + mark.length, at + mark.length + 4])
        if (/^(?:II\*\0|MM\0\*)/.test(part.toString('latin1', start, start + 4)))
          return orientationOf(part.subarray(start));
    }
  return 1;
}

/** The picture as it is looked at. */
export function upright(picture: GreyPicture, orientation: number): GreyPicture {
  switch (orientation) {
    case 2:
      return mirrored(picture);
    case 3:
      return turned(picture, 2);
    case 4:
      return mirrored(turned(picture, 2));
    case 5:
      return mirrored(turned(picture, 1));
    case 6:
      return turned(picture, 1);
    case 7:
      return mirrored(turned(picture, 3));
    case 8:
      return turned(picture, 3);
    default:
      return picture;
  }
}
