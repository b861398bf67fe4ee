import { CATALOG, type ErrorCode } from '../../src/errors/catalog';
import type { RestResponse } from '../setup/running-service';

/** Matches the message of the catalog, with any text for each parameter. */
const messageOf = (code: ErrorCode): RegExp => {
  const parts = CATALOG[code].message.split(/\{\w+\}/);
  return new RegExp(`^${parts.map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('[^]+')}$`);
};

interface Failure {
  readonly code: string;
  readonly message: string;
  readonly details?: any;
}

/** The error in a response: the REST envelope, or the error of a GraphQL operation. */
function failureIn({ status, body }: RestResponse, code: ErrorCode): Failure {
  if ('errors' in body) {
    expect({ status, errors: body.errors }).toEqual({ status: 200, errors: [expect.anything()] });
    const [{ message, extensions }] = body.errors;
    return { message, ...extensions };
  }
  expect({ status, body }).toEqual({ status: CATALOG[code].status, body: { error: expect.anything() } });
  return body.error;
}

/** Asserts that the response is exactly the error of the catalog. */
export function expectFailure(response: RestResponse, code: ErrorCode): void {
  const { message, details, ...rest } = failureIn(response, code);
  expect(rest).toEqual({ code });
  expect(message).toMatch(messageOf(code));
  if (CATALOG[code].status >= 500) expect(details).toMatchObject({ requestId: response.headers.get('x-request-id') });
  if (CATALOG[code].status !== 429) return;
  expect(details.retryAfter).toBeGreaterThan(0);
  expect(response.headers.get('retry-after')).toBe(String(details.retryAfter));
}
