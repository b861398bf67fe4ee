import { crc32 } from 'node:zlib';
import type { EvidenceFile } from '../../ramps/kyc-provider';

export type EvidenceFormat = EvidenceFile['mimeType'];

/** The format of a file by its bytes; `undefined` for other formats and for truncated files. */
export function detectFormat(bytes: Buffer): EvidenceFormat | undefined {
  if (isJpeg(bytes)) return 'image/jpeg';
  if (isPng(bytes)) return 'image/png';
  return isPdf(bytes) ? 'application/pdf' : undefined;
}

const START_OF_IMAGE = 0xffd8;
const START_OF_SCAN = 0xda;
const END_OF_IMAGE = Buffer.from([0xff, 0xd9]);
/** Segments with the size of the picture: SOF0 to SOF15, except three markers with another meaning. */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;

/** Requires segments up to the scan, a frame with a size among them, and an end. */
function isJpeg(bytes: Buffer): boolean {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== START_OF_IMAGE) return false;
  let hasSize = false;
  for (let at = 2; at + 4 <= bytes.length;) {
    if (bytes[at] !== 0xff) return false;
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xff) {
      at += 1; // fill bytes
      continue;
    }
    if (marker === START_OF_SCAN) return hasSize && bytes.lastIndexOf(END_OF_IMAGE) > at;
    if (isFrame(marker)) hasSize = frameHasSize(bytes, at);
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return false;
}

const frameHasSize = (bytes: Buffer, at: number): boolean =>
  at + 9 <= bytes.length && bytes.readUInt16BE(at + 5) > 0 && bytes.readUInt16BE(at + 7) > 0;

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** Bytes of length, type and checksum around the data of a chunk. */
const CHUNK_FRAME = 12;

/** Requires a header with a size, chunks with valid checksums, picture data among them, and an end. */
function isPng(bytes: Buffer): boolean {
  if (!startsAsPng(bytes)) return false;
  let hasData = false;
  for (let at = PNG_SIGNATURE.length; at + CHUNK_FRAME <= bytes.length;) {
    const length = bytes.readUInt32BE(at);
    const end = at + CHUNK_FRAME + length;
    if (end > bytes.length || !isChecksumValid(bytes, at, end)) return false;
    const type = bytes.toString('latin1', at + 4, at + 8);
    if (type === 'IDAT') hasData = true;
    if (type === 'IEND') return hasData;
    at = end;
  }
  return false;
}

const isChecksumValid = (bytes: Buffer, at: number, end: number): boolean =>
  crc32(bytes.subarray(at + 4, end - 4)) === bytes.readUInt32BE(end - 4);

/** Requires the signature, and a header chunk of 13 bytes that begins with width and height. */
function startsAsPng(bytes: Buffer): boolean {
  const isSigned = bytes.subarray(0, PNG_SIGNATURE.length).equals(PNG_SIGNATURE);
  if (!isSigned || bytes.length < PNG_SIGNATURE.length + CHUNK_FRAME + 13) return false;
  const header = bytes.subarray(PNG_SIGNATURE.length);
  const isHeader = header.readUInt32BE(0) === 13 && header.toString('latin1', 4, 8) === 'IHDR';
  return isHeader && header.readUInt32BE(8) > 0 && header.readUInt32BE(12) > 0;
}

const PDF_TAIL = 1024;

function isPdf(bytes: Buffer): boolean {
  const isHeaded = bytes.subarray(0, 5).equals(Buffer.from('%PDF-'));
  return isHeaded && bytes.subarray(-PDF_TAIL).includes('%%EOF');
}
