import { invariant } from '../../../errors/invariant-error';
import { LRUCache } from 'lru-cache';
import { atMostEntries } from '../../../async/cache-size';
import { serviceError } from '../../../errors/service-error';
import type { HttpClient } from '../../../http/http-client';
import type { RampKycProvider } from '../../kyc-provider';
import type { RampProvider, RampRoute, TicketHolder, TicketState } from '../../ramp-provider';
import type { OnUncheckedPixKey } from '../../unchecked-pix-key';
import { primaryCallbacks, type PrimaryRampCallbacks } from './callbacks';
import { PRIMARY, rampUnavailable } from './failures';
import { primaryIdentity } from './identity';
import { accountLimits } from './account-limits';
import { lookUpPixKey } from './look-up-pix-key';
import { findPayIn, openPayIn, payInState } from './pay-in';
import { openPayout, payoutState } from './payout';
import { quoteRoute } from './quote';
import { type PrimaryRampApi, ticketById } from './ramp-api';
import { type PrimaryRampNetworks, supportsRoute } from './route-sides';

export interface PrimaryRampOptions {
  /** Signs its requests: `createHttpClient({ baseUrl, sign: primaryRampSignature({ apiKey, privateKey }) })`. */
  readonly http: HttpClient;
  /** Base URL of the ramp. Evidence is uploaded there, or to a public host by https. */
  readonly apiUrl: string;
  /** The ramp's names of the chains on which it settles and receives tokens, by chain id. */
  readonly networks: PrimaryRampNetworks;
  /** Milliseconds since 1970. */
  readonly clock?: () => number;
  /** Called when the Pix key of a payout could not be looked up again, and the payout goes on. */
  readonly onUncheckedPixKey?: OnUncheckedPixKey | undefined;
  /** Time limit, in milliseconds, for looking up the Pix key of a payout again; 2,000 by default. */
  readonly pixKeyTimeoutMs?: number;
}

/** Payouts that wait for the ramp do not look their key up in each poll. */
const MAX_CHECKED_PAYOUTS = 10_000;
const CHECKED_PAYOUT_MS = 600_000;

export type PrimaryRamp = RampProvider & RampKycProvider & PrimaryRampCallbacks;

/**
 * The primary ramp: Pix and US bank accounts to and from tokens of reais and USDC. Each person has a sub-account.
 *
 * On-ramps are tickets of the ramp. Off-ramps start with a deposit to the sub-account's address: their ticket is the
 * service's own, and `ticketState` opens the ramp's ticket when the deposit has arrived.
 *
 * @see https://integration-guide.avenia.io
 */
export function createPrimaryRamp(options: PrimaryRampOptions): PrimaryRamp {
  const { http, apiUrl, networks, clock = Date.now, onUncheckedPixKey, pixKeyTimeoutMs } = options;
  const checkedPayouts = new LRUCache<string, true>({ ...atMostEntries(MAX_CHECKED_PAYOUTS), ttl: CHECKED_PAYOUT_MS });
  const api: PrimaryRampApi = {
    http,
    apiUrl,
    networks,
    now: clock,
    onUncheckedPixKey,
    pixKeyTimeoutMs,
    checkedPayouts,
  };
  const assertSupported = (route: RampRoute, thirdParty: boolean): void => {
    if (supportsRoute(networks, route, thirdParty)) return;
    throw serviceError('RAMP_PROVIDER_NOT_ELIGIBLE', { provider: PRIMARY, reason: 'it does not support this route' });
  };
  return {
    ...primaryIdentity(api),
    ...primaryCallbacks(api),
    id: PRIMARY,
    paysOutReceivedAmount: true,
    supports: (route, { thirdParty }) => supportsRoute(networks, route, thirdParty),
    async quote(request, signal) {
      assertSupported(request.route, request.thirdParty);
      return quoteRoute(api, request, signal);
    },
    async openTicket(request, signal) {
      assertSupported(request.route, request.payout?.rail === 'PIX' && request.payout.thirdParty);
      return request.route.direction === 'onRamp' ? openPayIn(api, request, signal) : openPayout(api, request, signal);
    },
    async findTicket(request, signal) {
      // Preparing a payout moves no money, so it is repeated.
      if (request.route.direction === 'offRamp') return openPayout(api, request, signal);
      return findPayIn(api, request, signal).catch((error: unknown) => {
        throw rampUnavailable(error);
      });
    },
    async ticketState(ticketId, holder, signal) {
      try {
        return await pollTicket(api, { ticketId, holder }, signal);
      } catch (error) {
        throw rampUnavailable(error);
      }
    },
    accountLimits: (account, signal) => accountLimits(api, account, signal),
    lookUpPixKey: (pixKey, signal) => lookUpPixKey(api, pixKey, signal),
  };
}

interface TicketOfHolder {
  readonly ticketId: string;
  readonly holder: TicketHolder;
}

async function pollTicket(
  api: PrimaryRampApi,
  { ticketId, holder }: TicketOfHolder,
  signal: AbortSignal,
): Promise<TicketState> {
  const { request, accountId, refundsLateDeposit = false } = holder;
  if (request?.route.direction === 'offRamp') {
    invariant(request.externalId === ticketId, 'a payout is identified by our id');
    return payoutState(api, { request, refundsLateDeposit }, signal);
  }
  const ticket = await ticketById(api, ticketId, { accountId, signal });
  return payInState({ ticket, decimals: request?.route.token.decimals, now: api.now() });
}
