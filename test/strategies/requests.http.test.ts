import { newWallet, type NewWallet } from '../rest/error-codes-wallet';
import { type ErrorWorld, openErrorWorld } from '../rest/error-codes-world';
import { until } from '../resilience/until';

const ID = 'Requests-USDC-devnet';
const AMOUNT = '100000000';

let world: ErrorWorld;
let wallet: NewWallet;
beforeAll(async () => {
  world = await openErrorWorld();
  wallet = await newWallet(world.service, 'devnet');
});
afterAll(() => world.stop());

const get = async (path: string) => (await world.healthy(path)).body;
const operate = (fields: Readonly<Record<string, string>>) =>
  world.healthy(`/strategies/${ID}/bytecode?${new URLSearchParams({ wallet: wallet.address, ...fields }).toString()}`);
const spot = async () => (await get(`/v2/strategies/${ID}?wallet=${wallet.address}`)).spotPosition;

/** Sends the transactions of an operation, and follows its action to the end. */
async function execute(fields: Readonly<Record<string, string>>) {
  const { status, body } = await operate(fields);
  expect([status, body.strategyId]).toEqual([200, ID]);
  await wallet.send(body.bytecode);
  await until('the action is final', async () => (await get(`/actions/${body.id}`)).status === 'SUCCESS');
  return get(`/actions/${body.id}`);
}

it('a deposit and a withdrawal are requested, fulfilled by the operator of the vault, and claimed', async () => {
  const requested = await execute({ action: 'request-lend', amount: AMOUNT });
  expect(requested).toMatchObject({
    type: 'SAMECHAIN_INVESTMENT_DEPOSIT',
    amounts: { assetIn: { amountRaw: AMOUNT }, assetOut: null },
    steps: [{ status: 'CONFIRMED', legs: [{ kind: 'APPROVAL' }, { kind: 'REQUEST' }] }],
  });
  await until('the deposit can be claimed', async () => (await spot()).availableToClaim.length === 1);
  const { availableToClaim, requestedToLend } = await spot();
  expect([requestedToLend, availableToClaim[0].symbol]).toEqual([[], 'rqUSDC']);
  const lent = await execute({ action: 'lend', amount: 'max' });
  expect(lent.amounts).toMatchObject({ assetIn: null, assetOut: { amountRaw: availableToClaim[0].value } });
  expect((await spot()).principal.value).toBe(AMOUNT);

  const handedIn = await execute({ action: 'request-withdraw', amount: 'max' });
  expect(handedIn.amounts).toMatchObject({ assetIn: { amountRaw: availableToClaim[0].value }, assetOut: null });
  await until('the withdrawal can be claimed', async () => (await spot()).availableToClaim.length === 1);
  const [paid] = (await spot()).availableToClaim;
  const withdrawn = await execute({ action: 'withdraw', amount: 'max' });
  expect(withdrawn.amounts).toMatchObject({ assetIn: null, assetOut: { amountRaw: paid.value } });
  expect(BigInt(paid.value)).toBeGreaterThanOrEqual(BigInt(AMOUNT) - 1n);
  const { status, body } = await operate({ action: 'withdraw', amount: 'max' });
  expect([status, body.error.details.kind, body.error.details.maximum]).toEqual([400, 'NOT_CLAIMABLE', '0']);
});
