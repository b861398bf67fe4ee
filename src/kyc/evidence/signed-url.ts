const SECOND = 1000;

/**
 * The expiry of a pre-signed URL; `undefined` when it has none. Formats: S3 and GCS (version 4: date and seconds), Azure
 * (`se`), and the older `Expires` of S3, GCS and CloudFront (Unix seconds).
 */
export function signedUrlExpiry(url: string): Date | undefined {
  const parameters = new Map<string, string>();
  for (const [name, value] of new URL(url).searchParams) parameters.set(name.toLowerCase(), value);
  const ends = [
    ...['x-amz', 'x-goog'].map((prefix) =>
      sinceDate(parameters.get(`${prefix}-date`), parameters.get(`${prefix}-expires`)),
    ),
    isoDate(parameters.get('se')),
    unixSeconds(parameters.get('expires')),
  ].filter((end) => end !== undefined);
  return ends.length === 0 ? undefined : new Date(Math.min(...ends));
}

const COMPACT_DATE = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z$/;

function sinceDate(date: string | undefined, seconds: string | undefined): number | undefined {
  const [, ...parts] = COMPACT_DATE.exec(date ?? '') ?? [];
  if (parts.length === 0 || !/^\d{1,10}$/.test(seconds ?? '')) return undefined;
  const [year, month, day, ...time] = parts;
  const start = Date.parse(`${year}-${month}-${day}T${time.join(':')}Z`);
  return Number.isNaN(start) ? undefined : start + Number.parseInt(seconds ?? '', 10) * SECOND;
}

function isoDate(text: string | undefined): number | undefined {
  const end = /^\d{4}-\d{2}-\d{2}/.test(text ?? '') ? Date.parse(text ?? '') : Number.NaN;
  return Number.isNaN(end) ? undefined : end;
}

const unixSeconds = (text: string | undefined): number | undefined =>
  /^\d{1,11}$/.test(text ?? '') ? Number.parseInt(text ?? '', 10) * SECOND : undefined;
