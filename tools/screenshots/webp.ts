/** Animated WebP (RFC 9649), of pictures that the browser has encoded. */

/** A picture of a film: a still WebP, and how long it is shown, in ms. */
export interface Frame {
  readonly image: Buffer;
  readonly ms: number;
}

const HEADER_BYTES = 12;
const CHUNK_HEADER_BYTES = 8;
/** The flag of VP8X for an animation. */
const ANIMATED = 0x02;
/** Each picture covers the one before, and is not blended with it. */
const NOT_BLENDED = 0x02;

/** @param width of each picture, in px @param height of each picture, in px @returns a film that repeats for ever */
export function animatedWebp(frames: readonly Frame[], width: number, height: number): Buffer {
  const canvas = Buffer.alloc(10);
  canvas[0] = ANIMATED;
  canvas.writeUIntLE(width - 1, 4, 3);
  canvas.writeUIntLE(height - 1, 7, 3);
  // a background colour of 4 bytes, then the number of repetitions: 0 is no end
  const parts = [chunk('VP8X', canvas), chunk('ANIM', Buffer.alloc(6))];
  for (const { image, ms } of frames) {
    const frame = Buffer.alloc(16);
    frame.writeUIntLE(width - 1, 6, 3);
    frame.writeUIntLE(height - 1, 9, 3);
    frame.writeUIntLE(ms, 12, 3);
    frame[15] = NOT_BLENDED;
    parts.push(chunk('ANMF', Buffer.concat([frame, bitstreamOf(image)])));
  }
  const body = Buffer.concat([Buffer.from('WEBP'), ...parts]);
  return chunk('RIFF', body);
}

function chunk(name: string, content: Buffer): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt32LE(content.length);
  const padding = Buffer.alloc(content.length % 2);
  return Buffer.concat([Buffer.from(name), size, content, padding]);
}

/** The chunk of a still WebP that has its pixels, with its header. @throws when it has none */
function bitstreamOf(image: Buffer): Buffer {
  for (let at = HEADER_BYTES; at + CHUNK_HEADER_BYTES <= image.length; ) {
    const name = image.toString('latin1', at, at + 4);
    const size = image.readUInt32LE(at + 4);
    const end = at + CHUNK_HEADER_BYTES + size + (size % 2);
    if (name === 'VP8 ' || name === 'VP8L') return image.subarray(at, end);
    at = end;
  }
  throw new Error('a picture is no WebP with pixels');
}
