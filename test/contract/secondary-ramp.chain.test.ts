import { type ErrorCode } from '../../src/errors/catalog';
import type { SecondaryRamp } from '../../src/ramps/providers/secondary/secondary-ramp';
import { chainNamed, snapshotOf, universeOfTests } from '../setup/universe-of-tests';
import { describeRampProvider } from './ramp-provider';
import {
  balanceOf,
  BENEFICIARY,
  IMAGE,
  quoteIdOf,
  sendUsdc,
  servedRamps,
  startLocalSecondaryRamp,
  usdcRoute,
} from './secondary-ramp-world';

const PAYER_INDEX = 3;
const API_ERROR = 'SECONDARY_RAMP_API_ERROR';
const withCode = (...codes: ErrorCode[]): ErrorCode[] => [API_ERROR, ...codes];

/** Individuals also need a proof of address, which is submitted by a separate request. */
const withProofOfAddress = (ramp: SecondaryRamp): SecondaryRamp => ({
  ...ramp,
  async submitEvidence(submission, signal) {
    const { account } = submission;
    const proof = { account, documentType: 'PROOF_OF_ADDRESS', side: undefined, country: 'BRA', file: IMAGE } as const;
    await ramp.submitDocument!(proof, signal);
    return ramp.submitEvidence(submission, signal);
  },
});

describeRampProvider('The secondary ramp', async () => {
  const universe = await universeOfTests();
  const chain = chainNamed(universe, 'devnet');
  const payer = universe.accounts[PAYER_INDEX]!;
  const local = await startLocalSecondaryRamp({ chain });
  const revert = await snapshotOf(chain);
  const account = await local.approvedAccount();
  const target = { beneficiary: BENEFICIARY, method: 'WIRE' } as const;
  await local.ramp.saveBeneficiary!({ ...account, attemptId: undefined }, target, AbortSignal.timeout(10_000));
  const quotes = new Map<string, string>();
  const ramp: SecondaryRamp = {
    ...withProofOfAddress(local.ramp),
    async openTicket(request, signal) {
      quotes.set(request.externalId, quoteIdOf(request));
      return local.ramp.openTicket(request, signal);
    },
  };
  const route = usdcRoute(chain);
  const stray = { ...route.token, address: '0x00000000000000000000000000000000000000AA' };
  return {
    ramp,
    upstream: local.upstream,
    account,
    newPerson: local.newPerson,
    evidence: { documentType: 'CNH', front: IMAGE, back: IMAGE, selfie: IMAGE },
    unavailable: {
      quote: withCode('INVALID_SECONDARY_RAMP_QUOTE'),
      limits: withCode(),
      openTicket: withCode('INVALID_SECONDARY_RAMP_TICKET', 'INVALID_SECONDARY_RAMP_CUSTOMER'),
      ticketState: withCode('INVALID_SECONDARY_RAMP_TICKET'),
      openAccount: withCode('INVALID_SECONDARY_RAMP_CUSTOMER'),
      verificationState: withCode('INVALID_SECONDARY_RAMP_CUSTOMER'),
    },
    served: servedRamps(chain, payer.address),
    unsupported: [
      { route: usdcRoute(chain, { direction: 'offRamp' }), thirdParty: true },
      { route: usdcRoute(chain, { currency: 'USD', rail: 'ACH' }), thirdParty: false },
      { route: usdcRoute(chain, { rail: 'WIRE' }), thirdParty: false },
      { route: usdcRoute(chain, { token: stray }), thirdParty: false },
      { route: usdcRoute(chain, { token: { ...route.token, symbol: 'USDT' } }), thirdParty: false },
      { route: usdcRoute(chain, { chain: { ...route.chain, chainId: 1 } }), thirdParty: false },
    ],
    precisionOf: () => 1n,
    balanceOf: (of, address) => balanceOf(chain, of, address),
    async pay(_served, ticket) {
      if (ticket.kind === 'payOut')
        await sendUsdc({ chain, privateKey: payer.privateKey }, ticket.depositAddress, ticket.amount);
      else await local.control(`/__control/transactions/${ticket.ticketId}`, { status: 'processing' });
    },
    loseNextResponse: () => local.steer({ loseResponses: 1 }),
    async movements(externalId) {
      const found = await local.control(`/_control/transactions?quote_id=${quotes.get(externalId) ?? ''}`);
      return (found as unknown[]).length;
    },
    failPayouts: (failPayouts) => local.steer({ failPayouts }),
    async tearDown() {
      await local.stop();
      await revert();
    },
  };
});
