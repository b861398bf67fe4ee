import { createActionStarter } from '../../src/actions/start-action';
import type { CustomerId } from '../../src/auth/principal';
import { uuidV7 } from '../../src/persistence/uuid-v7';
import type { ContractKind } from '../../src/rpc/contract-kind';
import type { RawFields } from '../../src/errors/field-reader';
import { quoteDeadline } from '../../src/quotes/quote-deadline';
import type { QuoteProvider } from '../../src/venues/quote-provider';
import { priceRowWriter, priceWriter } from '../../src/quotes/quote-store';
import { createSwapTransaction } from '../../src/transactions/create-swap-transaction';
import type { OutputBuilders } from '../../src/transactions/execution/output-builders';
import { requestSwapQuote } from '../../src/transactions/request-swap-quote';
import type { TestDatabase } from '../setup/test-database';
import { depositVenue, fakeBridge, solanaVenue } from './bridge-world';
import { fakeChain } from './fake-chain';
import { testVault } from './fake-fiat';
import { fakeOutputs } from './fake-outputs';
import { offering, quoteDeps } from './swap-world';
import { OPEN_LIMITS } from '../setup/open-limits';

/** Changes to the default, in which all venues offer and every output can be built. */
export interface Setting {
  readonly providers?: readonly QuoteProvider[];
  readonly outputs?: Partial<OutputBuilders>;
  readonly sponsors?: boolean;
  /** Kind of every contract. */
  readonly contractKind?: ContractKind;
}

const ALL_VENUES = [offering('alpha', 4_990_000n), fakeBridge('bridge'), solanaVenue(), depositVenue()];

/** A customer who quotes and executes, over a real database and venues of every kind in memory. */
export async function openDesk({ database, pool }: Pick<TestDatabase, 'database' | 'pool'>) {
  const customerId = uuidV7() as CustomerId;
  const chain = fakeChain();
  const { signal } = new AbortController();
  await database.customer.create({ data: { id: customerId, name: 'one' } });
  const depsWith = ({ providers = ALL_VENUES, outputs = {}, sponsors = false, contractKind }: Setting) => {
    const sponsorship = { allowed: () => Promise.resolve(sponsors) };
    const findContractKind = () => Promise.resolve(contractKind);
    const base = quoteDeps({ providers, sponsorship, findContractKind, quoteDeadline: quoteDeadline(pool) });
    return {
      ...fakeOutputs(outputs),
      ...base,
      database,
      ...createActionStarter({ database, limits: OPEN_LIMITS }),
      actionExpirySeconds: 86_400,
      savePrices: priceWriter(priceRowWriter(pool), testVault),
      rpc: { ...base.rpc, ...chain.rpc },
    };
  };
  const quote = (fields: RawFields, setting: Setting = {}) =>
    requestSwapQuote(depsWith(setting), { customerId, fields, signal });
  return {
    customerId,
    chain,
    quote,
    execute: (fields: RawFields, setting: Setting & { readonly caller?: CustomerId } = {}) => {
      const { caller = customerId } = setting;
      return createSwapTransaction(depsWith(setting), { customerId: caller, fields, rawQuote: undefined, signal });
    },
    /** Requests an indicative quote. Returns the body that executes it. */
    async priced({ originAddress, destinationAddress, ...route }: RawFields, setting: Setting = {}) {
      const { quoteId } = (await quote(route, setting)).quote;
      return { quoteId, originAddress, destinationAddress };
    },
    action: (id: string) =>
      database.action.findUniqueOrThrow({
        where: { id },
        include: { steps: { orderBy: { stepIndex: 'asc' } }, calls: { orderBy: { kind: 'asc' } }, delivery: true },
      }),
  };
}

export type Desk = Awaited<ReturnType<typeof openDesk>>;
