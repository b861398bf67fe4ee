import type { CustomerId } from '../../src/auth/principal';
import { FIAT_CHAIN_ID } from '../../src/chains/chain';
import { serviceError } from '../../src/errors/service-error';
import { uuidV7 } from '../../src/persistence/uuid-v7';
import { createTestDatabase, type TestDatabase } from '../setup/test-database';
import { type Desk, openDesk } from './swap-desk';
import { ALICE, BOTH, fakeProvider, PRICED, rejection } from './swap-world';

let world: TestDatabase;
let desk: Desk;
beforeAll(async () => {
  world = await createTestDatabase();
  desk = await openDesk(world);
});
afterAll(() => world.drop());
beforeEach(() => desk.chain.reset());

const WEBHOOK = 'https://hooks.example/a';
const OTHER_WEBHOOK = 'https://hooks.example/b';
const bodyOf = () => desk.priced({ ...PRICED, ...BOTH });

/** The action has been executed to its end. */
async function executed(id: string): Promise<void> {
  await world.database.actionStep.updateMany({ where: { actionId: id }, data: { status: 'CONFIRMED' } });
  await world.database.action.update({ where: { id }, data: { status: 'SUCCESS' } });
}

/** Makes a quote one of a payout in dollars that has expired, and whose account the retention has removed. */
async function expirePayout(id: string): Promise<void> {
  const { request } = await world.database.quote.findUniqueOrThrow({ where: { id } });
  const tokenOut = { chainId: FIAT_CHAIN_ID, address: 'USD', symbol: 'USD', name: 'US dollar', decimals: 2 };
  await world.database.quote.update({
    where: { id },
    data: {
      request: { ...(request as object), chainIdOut: FIAT_CHAIN_ID, tokenOut },
      payout: null,
      deadline: new Date(Date.now() - 2 * 3_600_000),
    },
  });
}

describe('a repeated request to execute a quote', () => {
  it('returns the action without transactions once one was seen, also when it could not execute any more', async () => {
    const body = await bodyOf();
    const { id, quoteId, status } = await desk.execute(body);
    expect(status).toBe('INITIAL');
    await world.database.action.update({ where: { id }, data: { status: 'PENDING' } });
    await world.database.actionStep.updateMany({ where: { actionId: id }, data: { status: 'SUBMITTED' } });
    const seen = { id, quoteId, chainId: 31_337, status: 'PENDING', transactions: [], transactionData: [] };
    desk.chain.revert = 'it was executed already';
    expect(await desk.execute(body)).toEqual(seen);
    const other = { ...body, destinationAddress: ALICE };
    expect(await rejection(desk.execute(other))).toMatchObject({ code: 'QUOTE_VALIDATION_ERROR' });
    await world.database.action.update({ where: { id }, data: { status: 'SUCCESS' } });
    await world.database.quote.update({ where: { id: quoteId }, data: { deadline: new Date(Date.now() - 1000) } });
    expect(await desk.execute(body)).toEqual({ ...seen, status: 'SUCCESS' });
    expect(await rejection(desk.execute(other))).toMatchObject({ code: 'QUOTE_EXPIRED' });
  });

  it('returns the action when its transaction is seen while another one is built', async () => {
    const body = await bodyOf();
    const { id } = await desk.execute(body);
    const racing = fakeProvider('alpha', () => Promise.resolve(undefined), {
      build: async () => {
        await executed(id);
        throw serviceError('PROVIDER_UNAVAILABLE', { provider: 'alpha', reason: 'the funds are spent' });
      },
    });
    const repeated = await desk.execute(body, { providers: [racing] });
    expect(repeated).toMatchObject({ id, status: 'SUCCESS', transactionData: [] });
    const first = await rejection(desk.execute(await bodyOf(), { providers: [racing] }));
    expect(first).toMatchObject({ code: 'BYTECODE_GENERATION_FAILED' });
  });

  it('changes the webhook URL of an action that has started, for its next events', async () => {
    const body = await bodyOf();
    const { id, quoteId } = await desk.execute({ ...body, webhookURL: WEBHOOK });
    const urls = async () => {
      const quote = await world.database.quote.findUniqueOrThrow({ where: { id: quoteId } });
      const action = await world.database.action.findUniqueOrThrow({ where: { id } });
      return [quote.webhookUrl, action.webhookUrl];
    };
    await world.database.action.update({ where: { id }, data: { status: 'PENDING' } });
    await world.database.actionStep.updateMany({ where: { actionId: id }, data: { status: 'SUBMITTED' } });
    await desk.execute(body);
    expect(await urls()).toEqual([WEBHOOK, WEBHOOK]);
    await rejection(desk.execute({ ...body, destinationAddress: ALICE, webhookURL: OTHER_WEBHOOK }));
    expect(await urls()).toEqual([WEBHOOK, WEBHOOK]);
    await desk.execute({ ...body, webhookURL: OTHER_WEBHOOK });
    expect(await urls()).toEqual([OTHER_WEBHOOK, OTHER_WEBHOOK]);
  });

  it('returns the executed action although the recipient may receive nothing more', async () => {
    const body = await bodyOf();
    const { id } = await desk.execute(body);
    const contractKind = 'token';
    expect(await rejection(desk.execute(body, { contractKind }))).toMatchObject({ code: 'VALIDATION_ERROR' });
    await executed(id);
    expect(await desk.execute(body, { contractKind })).toMatchObject({ id, status: 'SUCCESS' });
  });

  it('returns the action of an executed payout after its account was removed, and to no other customer', async () => {
    const body = await bodyOf();
    const { id } = await desk.execute(body);
    await expirePayout(body.quoteId);
    expect(await rejection(desk.execute(body))).toMatchObject({ code: 'QUOTE_EXPIRED' });
    await executed(id);
    expect(await desk.execute(body)).toMatchObject({ id, status: 'SUCCESS', transactionData: [] });
    const foreign = await rejection(desk.execute(body, { caller: uuidV7() as CustomerId }));
    expect(foreign).toMatchObject({ code: 'QUOTE_NOT_FOUND' });
  });
});
