import { serviceError } from '../../../errors/service-error';
import type { HttpClient } from '../../../http/http-client';
import type { RampKycProvider } from '../../kyc-provider';
import type { RampProvider, RampRoute } from '../../ramp-provider';
import { notEligible, SECONDARY } from './failures';
import { secondaryIdentity } from './identity';
import { accountLimits } from './account-limits';
import { quoteRoute } from './quote';
import type { SecondaryRampNetworks, SecondaryRampApi } from './ramp-api';
import { supportsRoute } from './route-sides';
import { subscribe } from './subscribe';
import { cancelTicket, requestTicketState } from './ticket-state';
import { findTicket, openTicket } from './tickets';

export interface SecondaryRampOptions {
  /** Authenticates: `createHttpClient({ baseUrl, headers: { authorization: apiKey } })`, the bare key. */
  readonly http: HttpClient;
  /** The ramp's names of the chains on which it settles and receives USDC, by chain id. */
  readonly networks: SecondaryRampNetworks;
  /** The ramp's field for a person's tax id, which differs between its guides. */
  readonly taxIdField?: 'tin' | 'tax_id';
  /** Milliseconds since 1970. */
  readonly clock?: () => number;
}

export interface SecondaryRamp extends RampProvider, RampKycProvider {
  /**
   * Subscribes a URL to callbacks, in place of any other. Callbacks are not signed, so the URL must be secret.
   *
   * @throws UpstreamError
   */
  subscribe(url: string, signal: AbortSignal): Promise<void>;
}

/**
 * The secondary ramp: Pix and domestic wires in the United States to and from USDC, for customers who opt into it.
 *
 * Both directions are transactions of the ramp: an on-ramp starts with a deposit by BR Code or to a bank account, an off-ramp
 * with a plain transfer of USDC to an account of that transaction. The ramp stores no external id and supports no idempotency
 * keys: a request that moves money is sent once, and its transaction is found by the quote.
 *
 * @see https://docs.unblockpay.com
 */
export function createSecondaryRamp(options: SecondaryRampOptions): SecondaryRamp {
  const { http, networks, taxIdField = 'tin', clock = Date.now } = options;
  const api: SecondaryRampApi = { http, networks, taxIdField, now: clock };
  const assertSupported = (route: RampRoute, thirdParty: boolean): void => {
    if (!supportsRoute(networks, route, thirdParty)) throw notEligible('it does not support this route');
  };
  return {
    ...secondaryIdentity(api),
    id: SECONDARY,
    refundsToSenderOnly: true,
    supports: (route, { thirdParty }) => supportsRoute(networks, route, thirdParty),
    async quote(request, signal) {
      assertSupported(request.route, request.thirdParty);
      return quoteRoute(api, request, signal);
    },
    async openTicket(request, signal) {
      assertSupported(request.route, request.payout?.rail === 'PIX' && request.payout.thirdParty);
      return openTicket(api, request, signal);
    },
    findTicket: (request, signal) => findTicket(api, request, signal),
    ticketState: (ticketId, holder, signal) => requestTicketState(api, { ticketId, holder }, signal),
    cancelTicket: (ticketId, holder, signal) => cancelTicket(api, { ticketId, holder }, signal),
    accountLimits: (account, signal) => accountLimits(api, account, signal),
    subscribe: (url, signal) => subscribe(api, url, signal),
  };
}

/** The secondary ramp of a deployment without an API key: every request to the ramp throws SECONDARY_RAMP_NOT_CONFIGURED. */
export function unconfiguredSecondaryRamp({ networks }: Pick<SecondaryRampOptions, 'networks'>): SecondaryRamp {
  const refusal = () => serviceError('SECONDARY_RAMP_NOT_CONFIGURED');
  const refuse = () => Promise.reject(refusal());
  return {
    id: SECONDARY,
    refundsToSenderOnly: true,
    supports: (route, { thirdParty }) => supportsRoute(networks, route, thirdParty),
    assertConfigured() {
      throw refusal();
    },
    quote: refuse,
    openTicket: refuse,
    findTicket: refuse,
    ticketState: refuse,
    accountLimits: refuse,
    openAccount: refuse,
    submitEvidence: refuse,
    submitDocument: refuse,
    verificationState: refuse,
    saveBeneficiary: refuse,
    subscribe: refuse,
  };
}
