import autocannon from 'autocannon';
import { InvariantError } from '../../src/errors/invariant-error';
import { API_KEY } from './access';
import type { MeasuredOperation } from './operations';

const CONNECTIONS = 16;
/** autocannon notices only at this interval that all requests have completed. */
const SAMPLE_INTERVAL_MS = 10;

const headersOf = ({ body }: MeasuredOperation): Record<string, string> => ({
  'x-api-key': API_KEY,
  ...(body === undefined ? {} : { 'content-type': 'application/json' }),
});

/** The response of a server. */
export async function responseOf(url: string, operation: MeasuredOperation): Promise<string> {
  const { method, path, body } = operation;
  const headers = headersOf(operation);
  const response = await fetch(url + path, { method, headers, ...(body === undefined ? {} : { body }) });
  const text = await response.text();
  if (response.status !== 200) throw new InvariantError(`${operation.title}: ${response.status} ${text}`);
  return text;
}

/**
 * Sends `amount` requests over connections that stay open. @throws InvariantError unless each response equals
 * `expected`
 */
export async function load(
  url: string,
  operation: MeasuredOperation,
  { amount, expected }: { readonly amount: number; readonly expected: string },
): Promise<void> {
  const { method, path, body, title } = operation;
  const { errors, mismatches, non2xx } = await autocannon({
    url: url + path,
    method,
    headers: headersOf(operation),
    amount,
    connections: CONNECTIONS,
    ...(body === undefined ? {} : { body }),
    expectBody: expected,
    sampleInt: SAMPLE_INTERVAL_MS,
  });
  const wrong = errors + mismatches + non2xx;
  if (wrong > 0) throw new InvariantError(`${title}: ${wrong} of ${amount} responses were not the expected one`);
}
