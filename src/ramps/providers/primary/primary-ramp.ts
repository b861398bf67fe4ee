import { invariant } from '../../../errors/invariant-error';
import { serviceError } from '../../../errors/service-error';
import type { HttpClient } from '../../../http/http-client';
import type { RampIdentityProvider } from '../../identity-provider';
import type { RampProvider, RampRoute, TicketHolder, TicketState } from '../../ramp-provider';
import { primaryCallbacks, type RampCallbacks } from './callbacks';
import { isStatus, PRIMARY, serverErrorOf, unavailable, withoutWords } from './failures';
import { primaryIdentity } from './identity';
import { limitsOf } from './limits';
import { findPayIn, openPayIn, payInState } from './pay-in';
import { openPayOut, payOutState } from './pay-out';
import { quoteRoute } from './quote';
import { type PrimaryRampApi, ticketById } from './ramp-api';
import { type Networks, supportsRoute } from './ramp-legs';
import { pixInfo, readAnswer } from './wire';

export interface PrimaryRampOptions {
  /** Signs its requests: `createHttpClient({ baseUrl, sign: primaryRampSignature({ apiKey, privateKey }) })`. */
  readonly http: HttpClient;
  /** Base URL of the ramp: evidence is uploaded there, or to where https leads. */
  readonly apiUrl: string;
  /** Chains on which the ramp pays out and takes tokens, by their id, as it calls them. */
  readonly networks: Networks;
  /** Milliseconds since 1970. */
  readonly clock?: () => number;
}

export type PrimaryRamp = RampProvider & RampIdentityProvider & RampCallbacks;

/**
 * The primary ramp: Pix and US bank accounts to and from tokens of reais and USDC, through a sub-account per person.
 *
 * On-ramps are tickets of the ramp. Off-ramps start with a transfer of the token to the sub-account's address: their
 * ticket is ours, and `ticketState`, given the request, opens the ramp's when the token has arrived.
 *
 * @see https://integration-guide.avenia.io
 */
export function createPrimaryRamp({ http, apiUrl, networks, clock = Date.now }: PrimaryRampOptions): PrimaryRamp {
  const api: PrimaryRampApi = { http, apiUrl, networks, now: clock };
  const assertSupported = (route: RampRoute, thirdParty: boolean): void => {
    if (supportsRoute(networks, route, thirdParty)) return;
    throw serviceError('RAMP_PROVIDER_NOT_ELIGIBLE', { provider: PRIMARY, reason: 'it does not serve this route' });
  };
  return {
    ...primaryIdentity(api),
    ...primaryCallbacks(api),
    id: PRIMARY,
    paysOutWhatArrives: true,
    supports: (route, { thirdParty }) => supportsRoute(networks, route, thirdParty),
    async quote(request, signal) {
      assertSupported(request.route, request.thirdParty);
      return quoteRoute(api, request, signal);
    },
    async openTicket(request, signal) {
      assertSupported(request.route, request.payout?.rail === 'PIX' && request.payout.thirdParty);
      return request.route.direction === 'onRamp' ? openPayIn(api, request, signal) : openPayOut(api, request, signal);
    },
    async findTicket(request, signal) {
      // Asking for a payout moves nothing: it is asked again.
      if (request.route.direction === 'offRamp') return openPayOut(api, request, signal);
      return findPayIn(api, request, signal).catch((error: unknown) => {
        throw unavailable(error);
      });
    },
    async ticketState(ticketId, holder, signal) {
      try {
        return await stateOf(api, { ticketId, holder }, signal);
      } catch (error) {
        throw unavailable(error);
      }
    },
    limits: (account, signal) => limitsOf(api, account, signal),
    lookUpPixKey: (pixKey, signal) => lookUpPixKey(api, pixKey, signal),
  };
}

interface HeldTicket {
  readonly ticketId: string;
  readonly holder: TicketHolder;
}

async function stateOf(
  api: PrimaryRampApi,
  { ticketId, holder }: HeldTicket,
  signal: AbortSignal,
): Promise<TicketState> {
  const { request, accountId, givesBack = false } = holder;
  if (request?.route.direction === 'offRamp') {
    invariant(request.externalId === ticketId, 'a payout is known by our id');
    return payOutState(api, { request, givesBack }, signal);
  }
  const ticket = await ticketById(api, ticketId, { accountId, signal });
  return payInState({ ticket, decimals: request?.route.token.decimals, now: api.now() });
}

async function lookUpPixKey({ http }: PrimaryRampApi, pixKey: string, signal: AbortSignal): Promise<void> {
  try {
    readAnswer(pixInfo, await http.get('/v2/account/bank-accounts/brl/pix-info', { pixKey }, signal));
  } catch (cause) {
    if (isStatus(cause, 400, 404)) throw serviceError('INVALID_PIX_KEY', {}, { cause: withoutWords(cause) });
    const upstreamStatus = serverErrorOf(cause);
    const details = upstreamStatus === undefined ? {} : { details: { upstreamStatus } };
    throw serviceError('PIX_KEY_LOOKUP_FAILED', {}, { cause: withoutWords(cause), ...details });
  }
}
