import { serviceError } from '../../../errors/service-error';
import type { HttpClient } from '../../../http/http-client';
import type { RampIdentityProvider } from '../../identity-provider';
import type { RampProvider, RampRoute } from '../../ramp-provider';
import { notEligible, SECONDARY } from './failures';
import { secondaryIdentity } from './identity';
import { accountLimits } from './limits';
import { quoteRoute } from './quote';
import type { SecondaryRampNetworks, SecondaryRampApi } from './ramp-api';
import { supportsRoute } from './ramp-route';
import { subscribe } from './subscribe';
import { cancelTicket, requestTicketState } from './ticket-state';
import { findTicket, openTicket } from './tickets';

export interface SecondaryRampOptions {
  /** Proves who asks: `createHttpClient({ baseUrl, headers: { authorization: apiKey } })`, the bare key. */
  readonly http: HttpClient;
  /** Chains on which the ramp pays out and takes USDC, by their id, as it calls them. */
  readonly networks: SecondaryRampNetworks;
  /** Name under which the ramp takes a person's tax id: its guides differ. */
  readonly taxIdField?: 'tin' | 'tax_id';
  /** Milliseconds since 1970. */
  readonly clock?: () => number;
}

export interface SecondaryRamp extends RampProvider, RampIdentityProvider {
  /**
   * Has the ramp call this URL back, and no other. It signs nothing: the URL has to be a secret.
   *
   * @throws UpstreamError
   */
  subscribe(url: string, signal: AbortSignal): Promise<void>;
}

/**
 * The secondary ramp: Pix and domestic wires in the United States to and from USDC, for customers who opt into it.
 *
 * Both directions are transactions of the ramp: a payment in is asked for by BR Code or bank account, a payout starts with
 * a plain transfer of USDC to an account of that one transaction. It keeps no id of ours and knows no idempotency: what
 * moves money is sent once, and found again by its quote.
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

/** Stands for the secondary ramp in a deployment without a key of it: all that would ask it throws SECONDARY_RAMP_NOT_CONFIGURED. */
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
