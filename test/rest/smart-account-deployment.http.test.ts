import { setTimeout as wait } from 'node:timers/promises';
import { createPublicClient, http, parseAbi } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { customerNamed, rest, runningService } from '../setup/running-service';

const service = runningService();
const devnet = service.chains.find(({ slug }) => slug === 'devnet')!;
const client = createPublicClient({ transport: http(devnet.rpcUrl) });
const safe = parseAbi(['function getOwners() view returns (address[])']);

const QUERY = `query ($address: Address!, $chainId: SafeInt!) {
  smartAccount(address: $address, chainId: $chainId) { owner deployment { state actionId txHash lastFailure } }
}`;

const read = (variables: object, apiKey?: string) =>
  rest('/graphql', { body: { query: QUERY, variables }, ...(apiKey === undefined ? {} : { apiKey }) });

describe('a smart account of the running service', () => {
  it('is deployed at the promised address, with an action that lists show', async () => {
    const owner = privateKeyToAddress(generatePrivateKey());
    const { chainId } = devnet;
    const { status, body } = await rest('/smart-account', { body: { owner, chainId } });
    expect([status, Object.keys(body).toSorted()]).toEqual([200, ['address', 'chainId', 'owner']]);
    const { address } = body;
    let account;
    for (let tries = 0; tries < 200; tries += 1) {
      ({ smartAccount: account } = (await read({ address, chainId })).body.data);
      if (account.deployment.state === 'DEPLOYED') break;
      await wait(100);
    }
    expect(account).toMatchObject({ owner, deployment: { state: 'DEPLOYED', lastFailure: null } });
    expect(await client.readContract({ address, abi: safe, functionName: 'getOwners' })).toEqual([owner]);
    const { body: list } = await rest(`/actions?walletAddress=${owner}`);
    expect(list.data).toMatchObject([
      { id: account.deployment.actionId, type: 'SMART_ACCOUNT_DEPLOYMENT', status: 'SUCCESS' },
    ]);
    const foreign = await read({ address, chainId }, customerNamed(service, 'other').apiKey);
    const absent = await read({ address: owner, chainId });
    expect(foreign.body).toEqual(absent.body);
    expect(foreign.body.errors[0].extensions.code).toBe('SMART_ACCOUNT_NOT_FOUND');
  });
});
