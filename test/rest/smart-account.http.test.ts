import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { deriveSafeAccount } from '../../src/smart-accounts/safe-account';
import { customerNamed, rest, type RestResponse, runningService } from '../setup/running-service';

const service = runningService();
const create = (body: unknown): Promise<RestResponse> => rest('/smart-account', { method: 'POST', body });
const pathsOf = ({ body }: RestResponse): readonly string[] =>
  body.error.details.errors.map((issue: { path: string }) => issue.path);

describe('POST /smart-account', () => {
  it('returns the same account for every request and every customer', async () => {
    const owner = privateKeyToAddress(generatePrivateKey());
    const { address } = await deriveSafeAccount(owner);
    const account = { address, owner, chainId: 31337 };
    expect(await create({ owner, chainId: 31337 })).toMatchObject({ status: 200, body: account });
    expect((await create({ owner: owner.toLowerCase(), chainId: 31337 })).body).toEqual(account);
    expect((await create({ owner, chainId: 31338 })).body).toEqual({ ...account, chainId: 31338 });
    const { apiKey } = customerNamed(service, 'other');
    const others = await rest('/smart-account', { method: 'POST', body: { owner, chainId: 31337 }, apiKey });
    expect(others.body).toEqual(account);
  });

  it('reports all missing and invalid fields at once', async () => {
    const owner = privateKeyToAddress(generatePrivateKey());
    const missing = await create({});
    expect([missing.status, pathsOf(missing)]).toEqual([422, ['owner', 'chainId']]);
    const wrong = await create({ owner: '0x1', chainId: 987_654 });
    expect([wrong.status, pathsOf(wrong)]).toEqual([422, ['owner', 'chainId']]);
    for (const chainId of ['31337', 31337.5, -1, null, 0, 1_151_111_081_099_711]) {
      const refused = await create({ owner, chainId });
      expect([refused.status, pathsOf(refused)]).toEqual([422, ['chainId']]);
    }
    for (const given of [owner.slice(2), 7, `0x${'0'.repeat(40)}`, 'x'.repeat(50_000)]) {
      const refused = await create({ owner: given, chainId: 31337 });
      expect([refused.status, pathsOf(refused)]).toEqual([422, ['owner']]);
    }
  });

  it('requires a valid API key', async () => {
    const body = { owner: privateKeyToAddress(generatePrivateKey()), chainId: 31337 };
    const { status } = await rest('/smart-account', { method: 'POST', body, apiKey: 'sk_live_unknown' });
    expect(status).toBe(401);
  });
});
