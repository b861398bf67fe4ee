import { serviceError } from '../../src/errors/service-error';
import { DatabaseConnectionError } from '../../src/persistence/database-outage';
import { isUncharged, requestFailure, retryAfterSeconds } from './failure';

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

test('callers are charged for requests that used the database up to a time limit, and for no other SERVICE_UNAVAILABLE', () => {
  const failureOf = (code: string) => requestFailure({ severity: 'ERROR', code });
  const lost = [requestFailure(new DatabaseConnectionError('refused')), ...['57P01', '08006', '53300'].map(failureOf)];
  for (const failure of lost) expect([failure.code, isUncharged(failure)]).toEqual(['SERVICE_UNAVAILABLE', true]);
  for (const failure of ['57014', '55P03', '40P01', '40001'].map(failureOf)) {
    expect([failure.code, isUncharged(failure)]).toEqual(['SERVICE_UNAVAILABLE', false]);
    expect(failure.details).toMatchObject({ counted: true });
  }
  expect(isUncharged(requestFailure(serviceError('TOKENIZED_STOCK_NOT_CONFIGURED')))).toBe(false);
});
