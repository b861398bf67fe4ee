import { randomBytes } from 'node:crypto';
import type { EvidenceFile } from '../../identity-provider';

const EXTENSIONS: Readonly<Record<EvidenceFile['mimeType'], string>> = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'application/pdf': 'pdf',
};

/** A file and what is said of it, as `multipart/form-data` (RFC 7578) with the parts `file` and `metadata`. */
export function multipartOf({ bytes, mimeType }: EvidenceFile, metadata: object): { type: string; bytes: Buffer } {
  const boundary = `----${randomBytes(16).toString('hex')}`;
  const before =
    `--${boundary}\r\ncontent-disposition: form-data; name="metadata"\r\n\r\n${JSON.stringify(metadata)}\r\n` +
    `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="document.${EXTENSIONS[mimeType]}"\r\n` +
    `content-type: ${mimeType}\r\n\r\n`;
  const parts = [Buffer.from(before), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)];
  return { type: `multipart/form-data; boundary=${boundary}`, bytes: Buffer.concat(parts) };
}
