import { type Address, zeroAddress } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { newCustomer } from '../../../../test/actions/sample-action';
import { localToken } from '../../../../test/contract/local-swaps';
import type { TestDatabase } from '../../../../test/setup/test-database';
import { deployedSafe } from '../../../../test/smart-accounts/deployed-safe';
import {
  type AccountWorld,
  openAccountWorld,
  buildAccountOperation,
  newUndeployedAccount,
  payCall,
  readRefusal,
  PAYEE,
} from '../../../../test/smart-accounts/local-accounts';
import { deriveSafeAccount } from '../../../smart-accounts/safe-account';

let world: AccountWorld;
let test: TestDatabase;
beforeAll(async () => {
  ({ test, world } = await openAccountWorld(8));
});
afterAll(() => test.drop());

describe('an address that is not a smart account', () => {
  const callsOf = (account: Address) => ({ account, calls: [payCall(world, account, 1n)] });

  it('is refused with the account of the owner, or with how to create one', async () => {
    const { address, owner } = await newUndeployedAccount(world);
    const owned = await readRefusal(buildAccountOperation(world, callsOf(owner.address)));
    expect(owned).toMatchObject({ code: 'VALIDATION_ERROR', paths: ['originAddress'] });
    expect(owned.message).toContain(`is the owner of the smart account ${address}`);
    const unknown = await readRefusal(
      buildAccountOperation(world, callsOf(privateKeyToAccount(generatePrivateKey()).address)),
    );
    expect(unknown).toMatchObject({ code: 'VALIDATION_ERROR', paths: ['originAddress'] });
    expect(unknown.message).toContain('POST /smart-account');
  });

  it('is refused: an undeployed account of another customer, a token, a Safe without the module', async () => {
    const { address } = await newUndeployedAccount(world);
    const { address: other } = await deriveSafeAccount(privateKeyToAccount(generatePrivateKey()).address);
    const plain = await deployedSafe(world.wallet, [PAYEE], { threshold: 1n, handler: zeroAddress });
    const attempts = [
      () => buildAccountOperation({ ...world, customerId: newCustomer() }, callsOf(address)),
      () => buildAccountOperation(world, callsOf(localToken(world.chain, 'USDC').address as Address)),
      () => buildAccountOperation(world, callsOf(other)),
      () => buildAccountOperation(world, callsOf(plain)),
    ];
    for (const attempt of attempts) {
      expect(await readRefusal(attempt())).toMatchObject({ code: 'VALIDATION_ERROR', paths: ['originAddress'] });
    }
  });
});
