import { snapshotOf, universeOfTests } from '../setup/universe-of-tests';
import { EVIDENCE } from './primary-ramp-people';
import { PAYER_INDEX, servedRamps, startLocalPrimaryRamp } from './primary-ramp-world';
import { describeRampProvider } from './ramp-provider';

const TOKEN_PRECISION = 6;

describeRampProvider('The primary ramp', async () => {
  const universe = await universeOfTests();
  const local = await startLocalPrimaryRamp(universe);
  const revert = await snapshotOf(local.chain);
  const { routeOf } = local;
  const stray = { ...routeOf('USDC').token, address: '0x00000000000000000000000000000000000000AA' };
  return {
    ramp: local.ramp,
    upstream: local.upstream,
    account: local.account,
    evidence: EVIDENCE,
    unavailable: {
      quote: ['QUOTE_GENERATION_FAILED'],
      openTicket: ['BYTECODE_GENERATION_FAILED'],
      ticketState: ['PROVIDER_UNAVAILABLE'],
      limits: ['PROVIDER_UNAVAILABLE'],
      openAccount: ['PROVIDER_UNAVAILABLE'],
      verificationState: ['PROVIDER_UNAVAILABLE'],
    },
    served: servedRamps(local, universe.accounts[PAYER_INDEX]!.address),
    unsupported: [
      { route: routeOf('BRLA', { currency: 'USD', rail: 'WIRE' }), thirdParty: false },
      { route: routeOf('BRZ', { currency: 'USD', rail: 'WIRE' }), thirdParty: false },
      { route: routeOf('USDC', { rail: 'WIRE' }), thirdParty: false },
      { route: routeOf('USDC', { token: stray }), thirdParty: false },
      { route: routeOf('BRLA', { chain: { ...routeOf('BRLA').chain, chainId: 5 } }), thirdParty: false },
      { route: routeOf('BRLA'), thirdParty: true },
    ],
    precisionOf: ({ token }) => 10n ** BigInt(token.decimals - TOKEN_PRECISION),
    newPerson: local.newPerson,
    balanceOf: local.balanceOf,
    async pay({ route }, ticket) {
      if (ticket.kind === 'payIn') await local.control(`tickets/${ticket.ticketId}/pay`, {});
      else await local.send(route, ticket.depositAddress, ticket.amount);
    },
    loseNextResponse: () => local.steer({ loseResponses: 1 }),
    movements: async (externalId) => (await local.ticketsOf(externalId)).length,
    failPayouts: (fail) => local.steer({ payouts: fail ? 'fail' : 'pay' }),
    async tearDown() {
      await local.stop();
      await revert();
    },
  };
});
