import type { z } from 'zod';
import { providerUnavailable, UpstreamError } from '../../http/upstream-error';

/** Parses the body of a price source. @throws UpstreamError when it has another shape */
export function parseBody<Shape extends z.ZodType>(shape: Shape, body: unknown): z.output<Shape> {
  const result = shape.safeParse(body);
  if (result.success) return result.data;
  throw new UpstreamError('its response has an unexpected form', { kind: 'unreadable', cause: result.error });
}

/** Runs a request to a price source. @throws PROVIDER_UNAVAILABLE for any failure */
export async function fetchFrom<Result>(source: string, run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    throw providerUnavailable(source, error);
  }
}
