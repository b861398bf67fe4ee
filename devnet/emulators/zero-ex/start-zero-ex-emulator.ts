import { type EmulatorResponse, type EmulatorRequest, type HttpEmulator, startHttpEmulator } from '../http-emulator';
import { openVenueChain, type VenueChainOptions } from '../local-venues/venue-chain';
import { newControl, applyControl } from './control';
import { InputInvalid, readParameters } from './parameters';
import { type BodyKind, swapBody } from './swap-body';

export interface ZeroExEmulatorOptions {
  readonly chains: readonly VenueChainOptions[];
  /** A free one when not given. */
  readonly port?: number;
  /** The only key that is let in; any when not given, but there has to be one. */
  readonly apiKey?: string;
}

/**
 * 0x' Swap API for the pools of local chains. SwapRouter02 stands for AllowanceHolder: it is what takers allow and call.
 *
 * Serves `GET /swap/allowance-holder/price` and `GET /swap/allowance-holder/quote`.
 * `POST /_control/quotes` with `{ "manipulate"?: "recipient" | "target" | "spender" | "value" | null, "feeBps"?: number,
 * "worseBps"?: number }` changes the quotes from then on; `GET` returns the settings.
 */
export async function startZeroExEmulator({ chains, port, apiKey }: ZeroExEmulatorOptions): Promise<HttpEmulator> {
  const served = new Map(chains.map((chain) => [chain.chainId, openVenueChain(chain)]));
  const control = newControl();
  const swap =
    (kind: BodyKind) =>
    async ({ headers, query }: EmulatorRequest): Promise<EmulatorResponse> => {
      const refusal = refusalOf(headers, apiKey);
      if (refusal !== undefined) return refusal;
      try {
        return { body: await swapBody(readParameters(served, query), control, kind) };
      } catch (error) {
        if (error instanceof InputInvalid) return invalid(error);
        throw error;
      }
    };
  return startHttpEmulator({
    routes: {
      'GET /swap/allowance-holder/price': swap('price'),
      'GET /swap/allowance-holder/quote': swap('quote'),
      'GET /_control/quotes': () => ({ body: control }),
      'POST /_control/quotes': ({ body }) => applyControl(control, body),
    },
    ...(port === undefined ? {} : { port }),
  });
}

function refusalOf(headers: EmulatorRequest['headers'], apiKey: string | undefined): EmulatorResponse | undefined {
  const key = headers['0x-api-key'];
  if (typeof key !== 'string' || (apiKey !== undefined && key !== apiKey)) {
    return { status: 401, body: { name: 'USER_NOT_AUTHORIZED', message: 'Invalid or missing API key' } };
  }
  return headers['0x-version'] === 'v2' ? undefined : invalid(new InputInvalid('0x-version', 'Must be v2'));
}

const invalid = ({ field, message }: InputInvalid): EmulatorResponse => ({
  status: 400,
  body: {
    name: 'INPUT_INVALID',
    message: 'The input is invalid',
    data: { zid: '0x000000000000000000000000', details: [{ field, reason: message }] },
  },
});
