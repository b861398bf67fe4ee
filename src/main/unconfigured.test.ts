import { isUncharged, requestFailure } from '../../gateway/edge/failure';
import { loadConfig } from '../config/config';
import { openKyc } from './kyc';
import { openRamps } from './ramps';

const config = loadConfig({ DATABASE_URL: 'postgres://localhost/none', API_KEY_PEPPER: 'ab'.repeat(32) });

const errorOf = (work: () => unknown): Promise<unknown> =>
  Promise.resolve()
    .then(work)
    .then(
      () => undefined,
      (error: unknown) => error,
    );

test('requests for a part that is not configured are charged, because they fail until an operator configures it', async () => {
  const ramps = openRamps(config);
  const { vault } = openKyc(config, ramps);
  const verification = ramps.kycProviders.primary.verificationState(
    { reference: 'account' } as never,
    new AbortController().signal,
  );
  const errors = await Promise.all([errorOf(() => vault.seal({}, 'row')), errorOf(() => verification)]);
  for (const error of errors) {
    const failure = requestFailure(error);
    expect([failure.status, failure.code, isUncharged(failure)]).toEqual([503, 'SERVICE_UNAVAILABLE', false]);
  }
});
