import { crc32 } from 'node:zlib';
import type { EvidenceFile } from '../../ramps/kyc-provider';

export type EvidenceFormat = EvidenceFile['mimeType'];

/** The format of a file by its first bytes, damaged or not; `undefined` for other formats. */
export function detectFormat(bytes: Buffer): EvidenceFormat | undefined {
  return FORMATS.find((format) => bytes.subarray(0, SIGNATURES[format].length).equals(SIGNATURES[format]));
}

/** False for a file of the format that is truncated, or that is damaged in another way that its structure shows. */
export function isIntact(bytes: Buffer, format: EvidenceFormat): boolean {
  switch (format) {
    case 'image/jpeg':
      return isIntactJpeg(bytes);
    case 'image/png':
      return isIntactPng(bytes);
    case 'application/pdf':
      return bytes.subarray(-PDF_TAIL).includes('%%EOF');
  }
}

const FORMATS = ['image/jpeg', 'image/png', 'application/pdf'] as const;
/** The first bytes of each format; those of a JPEG are its marker and the beginning of the next one. */
const SIGNATURES: Readonly<Record<EvidenceFormat, Buffer>> = {
  'image/jpeg': Buffer.from([0xff, 0xd8, 0xff]),
  'image/png': Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
  'application/pdf': Buffer.from('%PDF-'),
};

const PDF_TAIL = 1024;

const START_OF_SCAN = 0xda;
const END_OF_IMAGE = Buffer.from([0xff, 0xd9]);
/** Segments with the size of the picture: SOF0 to SOF15, except three markers with another meaning. */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;

/** Requires segments up to the scan, a frame with a size among them, and an end. */
function isIntactJpeg(bytes: Buffer): boolean {
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

const PNG_SIGNATURE = SIGNATURES['image/png'];
/** Bytes of length, type and checksum around the data of a chunk. */
const CHUNK_FRAME = 12;

/** Requires a header with a size, chunks with valid checksums, picture data among them, and an end. */
function isIntactPng(bytes: Buffer): boolean {
  if (!hasPngHeader(bytes)) return false;
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

/** Requires a header chunk of 13 bytes that begins with width and height. */
function hasPngHeader(bytes: Buffer): boolean {
  if (bytes.length < PNG_SIGNATURE.length + CHUNK_FRAME + 13) return false;
  const header = bytes.subarray(PNG_SIGNATURE.length);
  const isHeader = header.readUInt32BE(0) === 13 && header.toString('latin1', 4, 8) === 'IHDR';
  return isHeader && header.readUInt32BE(8) > 0 && header.readUInt32BE(12) > 0;
}
