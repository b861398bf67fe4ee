import { createHash } from 'node:crypto';

const INLINE_SCRIPT = /<script>([\s\S]*?)<\/script>/g;

/** Hashes of the inline scripts of a page, as sources for `script-src`. */
export const hashesOfInlineScripts = (page: Buffer): string =>
  [...page.toString('utf8').matchAll(INLINE_SCRIPT)]
    .map(
      ([, script]) =>
        `'sha256-${createHash('sha256')
          .update(script ?? '')
          .digest('base64')}'`,
    )
    .join(' ');

/**
 * Content security policy of a page that only connects to this server. Inline styles are allowed because editors add them
 * at run time.
 *
 * - `script-src`: sources of scripts;
 * - `worker-src`: sources of workers, none by default.
 */
export const pagePolicy = (sources: { readonly scripts: string; readonly workers?: string }): string =>
  [
    "default-src 'none'",
    `script-src ${sources.scripts}`,
    `worker-src ${sources.workers ?? "'none'"}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
