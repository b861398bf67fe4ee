import { ApiError } from './api-error';

/** Parts of a `multipart/form-data` body by their names. */
export function partsOf(contentType: string | undefined, body: Buffer): ReadonlyMap<string, Buffer> {
  const boundary = /^multipart\/form-data; *boundary="?([^";]+)"?$/i.exec(contentType ?? '')?.[1];
  if (boundary === undefined) throw new ApiError(415, 'unsupported_media_type', 'multipart/form-data is expected');
  const parts = body.toString('latin1').split(`--${boundary}`).slice(1, -1);
  return new Map(
    parts.flatMap((part) => {
      const [head = '', ...content] = part.split('\r\n\r\n');
      const name = /name="([^"]*)"/.exec(head)?.[1];
      const bytes = content.join('\r\n\r\n').replace(/\r\n$/, '');
      return name === undefined ? [] : [[name, Buffer.from(bytes, 'latin1')] as const];
    }),
  );
}
