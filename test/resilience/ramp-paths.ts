import { randomUUID } from 'node:crypto';
import { receiveRampCallback } from '../../src/actions/receive-ramp-callback';
import type { CustomerId } from '../../src/auth/principal';
import { createChainTable } from '../../src/chains/chain-table';
import { loadKycStatusesOfWallets } from '../../src/kyc/kyc-status';
import { lookUpProfile } from '../../src/kyc/look-up-profile';
import { pollPendingVerifications } from '../../src/kyc/poll-pending-verifications';
import type { PersonalDataVault } from '../../src/persistence/personal-data';
import { createTicketStore } from '../../src/ramps/ticket-store';
import { someChain, someHash } from '../actions/sample-transfer';
import type { TestDatabase } from '../setup/test-database';
import { BUSY_WALLET, CHAIN_IN, CHAIN_OUT, CUSTOMER as ID_OF_CUSTOMER, idOf, QUIET_WALLET } from './grown-database';

const CUSTOMER = ID_OF_CUSTOMER as CustomerId;
const chains = createChainTable([someChain(CHAIN_IN), someChain(CHAIN_OUT)]);
/** An action that waits for its origin, and one that has ended; see `growDatabase`. */
const [WAITING, DONE] = [idOf(600), idOf(610)];

/** What reads tickets and profiles of ramps, by name. */
export const rampPaths = (
  test: () => TestDatabase,
  vault: PersonalDataVault,
): Readonly<Record<string, () => Promise<unknown>>> => {
  const tickets = () => createTicketStore({ database: test().database, vault, chains });
  return {
    'a callback of a ramp about a ticket': () =>
      receiveRampCallback(test(), {
        ramp: 'primary',
        eventId: randomUUID(),
        about: 'ticket',
        ticketId: 'ticket-600',
        externalId: WAITING,
      }),
    'a callback of a ramp about a verification': () =>
      receiveRampCallback(test(), {
        ramp: 'primary',
        eventId: randomUUID(),
        about: 'verification',
        accountId: undefined,
        attemptId: 'attempt-600',
      }),
    'the poll of a ticket of a ramp': async () => {
      await tickets().lease(WAITING, { ofAccount: true });
      await tickets().lease(DONE);
      await tickets().assignSettlement(WAITING, { chainId: CHAIN_IN, txHash: someHash(), logIndexes: [1, 2] });
    },
    'the verifications to poll': () =>
      pollPendingVerifications(
        { database: test().database } as Parameters<typeof pollPendingVerifications>[0],
        AbortSignal.abort(),
      ),
    'the profile of a wallet, an e-mail or an id of the customer': async () => {
      const { database } = test();
      const deps = { database, vault, blockedAddresses: new Set<string>() };
      for (const fields of [{ walletAddress: BUSY_WALLET, email: 'a@b.c' }, { externalUserId: 'user-9' }])
        await lookUpProfile(deps, CUSTOMER, fields).catch(() => undefined);
      const brands = { primary: 'primary', secondary: 'secondary' };
      await loadKycStatusesOfWallets(
        { database, brands },
        { customerId: CUSTOMER, addresses: [QUIET_WALLET, BUSY_WALLET] },
      );
    },
  };
};
