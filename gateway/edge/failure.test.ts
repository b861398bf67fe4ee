import { serviceError } from '../../src/errors/service-error';
import { DatabaseConnectionError } from '../../src/persistence/database-outage';
import { requestFailure, retryAfterSeconds } from './failure';

test('a lost database is reported as SERVICE_UNAVAILABLE, never as a bug', () => {
  const failure = requestFailure(new DatabaseConnectionError('no database connection: refused'));
  expect(failure).toMatchObject({ status: 503, code: 'SERVICE_UNAVAILABLE' });
  expect(failure.message).not.toContain('refused');
  expect(retryAfterSeconds(failure)).toBe(1);
});

test('every SERVICE_UNAVAILABLE says when to retry', () => {
  const failure = requestFailure(serviceError('SERVICE_UNAVAILABLE', { reason: 'it is shutting down' }));
  expect(retryAfterSeconds(failure)).toBe(1);
});

test('a failure that has its own estimate keeps it, and others have none', () => {
  const own = serviceError('SERVICE_UNAVAILABLE', { reason: 'busy' }, { details: { retryAfter: 7 } });
  expect(retryAfterSeconds(requestFailure(own))).toBe(7);
  expect(retryAfterSeconds(requestFailure(new TypeError('a bug')))).toBeUndefined();
});
