import { CATALOG, type ErrorCode } from '../../src/errors/catalog';
import type { RestResponse } from '../setup/running-service';

/** What the catalog says, with something in the place of every parameter. */
const messageOf = (code: ErrorCode): RegExp => {
  const parts = CATALOG[code].message.split(/\{\w+\}/);
  return new RegExp(`^${parts.map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('[^]+')}$`);
};

interface Failure {
  readonly code: string;
  readonly message: string;
  readonly details?: any;
}

/** The failure that an answer tells of: the envelope of REST, or the error of a GraphQL operation. */
function failureIn({ status, body }: RestResponse, code: ErrorCode): Failure {
  if ('errors' in body) {
    expect({ status, errors: body.errors }).toEqual({ status: 200, errors: [expect.anything()] });
    const [{ message, extensions }] = body.errors;
    return { message, ...extensions };
  }
  expect({ status, body }).toEqual({ status: CATALOG[code].status, body: { error: expect.anything() } });
  return body.error;
}

/** Asserts that an answer is the failure that the catalog describes, and nothing else. */
export function expectFailure(answer: RestResponse, code: ErrorCode): void {
  const { message, details, ...rest } = failureIn(answer, code);
  expect(rest).toEqual({ code });
  expect(message).toMatch(messageOf(code));
  if (CATALOG[code].status >= 500) expect(details).toMatchObject({ requestId: answer.headers.get('x-request-id') });
  if (CATALOG[code].status !== 429) return;
  expect(details.retryAfter).toBeGreaterThan(0);
  expect(answer.headers.get('retry-after')).toBe(String(details.retryAfter));
}
