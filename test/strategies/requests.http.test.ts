import { newWallet, type NewWallet } from '../rest/error-codes-wallet';
import { type ErrorWorld, openErrorWorld } from '../rest/error-codes-world';
import { untilRead } from '../resilience/until';

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
/** The position; undefined when it could not be read. */
const spot = async () => (await get(`/v2/strategies/${ID}?wallet=${wallet.address}`)).spotPosition ?? undefined;
/** The position with something to claim. */
const claimable = (description: string) =>
  untilRead(description, async () => {
    const position = await spot();
    return position?.availableToClaim.length === 1 ? position : undefined;
  });

/** Sends the transactions of an operation, and follows its action to the end. */
async function execute(fields: Readonly<Record<string, string>>) {
  const { status, body } = await operate(fields);
  expect([status, body.strategyId]).toEqual([200, ID]);
  await wallet.send(body.bytecode);
  return untilRead('the action is final', async () => {
    const action = await get(`/actions/${body.id}`);
    return action.status === 'SUCCESS' ? action : undefined;
  });
}

it('a deposit and a withdrawal are requested, fulfilled by the operator of the vault, and claimed', async () => {
  const requested = await execute({ action: 'request-lend', amount: AMOUNT });
  expect(requested).toMatchObject({
    type: 'SAMECHAIN_INVESTMENT_DEPOSIT',
    amounts: { assetIn: { amountRaw: AMOUNT }, assetOut: null },
    steps: [{ status: 'CONFIRMED', legs: [{ kind: 'APPROVAL' }, { kind: 'REQUEST' }] }],
  });
  const { availableToClaim, requestedToLend } = await claimable('the deposit can be claimed');
  expect([requestedToLend, availableToClaim[0].symbol]).toEqual([[], 'rqUSDC']);
  const lent = await execute({ action: 'lend', amount: 'max' });
  expect(lent.amounts).toMatchObject({ assetIn: null, assetOut: { amountRaw: availableToClaim[0].value } });
  expect((await untilRead('the position is read', spot)).principal.value).toBe(AMOUNT);

  const handedIn = await execute({ action: 'request-withdraw', amount: 'max' });
  expect(handedIn.amounts).toMatchObject({ assetIn: { amountRaw: availableToClaim[0].value }, assetOut: null });
  const [paid] = (await claimable('the withdrawal can be claimed')).availableToClaim;
  const withdrawn = await execute({ action: 'withdraw', amount: 'max' });
  expect(withdrawn.amounts).toMatchObject({ assetIn: null, assetOut: { amountRaw: paid.value } });
  expect(BigInt(paid.value)).toBeGreaterThanOrEqual(BigInt(AMOUNT) - 1n);
  const { status, body } = await operate({ action: 'withdraw', amount: 'max' });
  expect([status, body.error.details.kind, body.error.details.maximum]).toEqual([400, 'NOT_CLAIMABLE', '0']);
});
