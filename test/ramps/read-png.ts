import { inflateSync } from 'node:zlib';

export interface Picture {
  readonly width: number;
  readonly height: number;
  /** Four bytes for each pixel, row by row. */
  readonly points: Uint8ClampedArray;
}

const BYTES_A_POINT = 4;

/** Decodes a non-interlaced RGBA PNG with eight bits for each channel. */
export function readPng(png: Buffer): Picture {
  const parts = chunksOf(png);
  const header = parts.find(({ type }) => type === 'IHDR')!.data;
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  expect([...header.subarray(8)]).toEqual([8, 6, 0, 0, 0]);
  const data = inflateSync(Buffer.concat(parts.flatMap(({ type, data: part }) => (type === 'IDAT' ? [part] : []))));
  const length = width * BYTES_A_POINT;
  const points = new Uint8ClampedArray(length * height);
  for (let row = 0; row < height; row += 1) {
    const at = row * (length + 1);
    const line = { filter: data[at]!, bytes: data.subarray(at + 1, at + 1 + length) };
    unfilter(
      line,
      points.subarray(row * length, (row + 1) * length),
      points.subarray((row - 1) * length, row * length),
    );
  }
  return { width, height, points };
}

function chunksOf(png: Buffer): { readonly type: string; readonly data: Buffer }[] {
  const chunks = [];
  for (let at = 8; at < png.length;) {
    const length = png.readUInt32BE(at);
    chunks.push({ type: png.toString('latin1', at + 4, at + 8), data: png.subarray(at + 8, at + 8 + length) });
    at += length + 12;
  }
  return chunks;
}

interface Line {
  readonly filter: number;
  readonly bytes: Buffer;
}

/** `above` is empty for the first line. */
function unfilter({ filter, bytes }: Line, line: Uint8ClampedArray, above: Uint8ClampedArray): void {
  for (let index = 0; index < bytes.length; index += 1) {
    const left = line[index - BYTES_A_POINT] ?? 0;
    const up = above[index] ?? 0;
    const corner = above[index - BYTES_A_POINT] ?? 0;
    const expected = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter]!;
    line[index] = (bytes[index]! + expected) & 0xff;
  }
}

function paeth(left: number, up: number, corner: number): number {
  const estimate = left + up - corner;
  const far = (value: number): number => Math.abs(estimate - value);
  if (far(left) <= far(up) && far(left) <= far(corner)) return left;
  return far(up) <= far(corner) ? up : corner;
}
