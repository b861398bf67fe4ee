import type { Logger } from 'pino';
import type { Config } from '../config/config';
import { createHttpClient, type HttpClient } from '../http/http-client';
import { createRampSwapProvider } from '../venues/ramp/ramp-swap-provider';
import { createRampQuoteProvider } from '../venues/ramp/ramp-quote-provider';
import { createAcrossProvider } from '../venues/providers/across/across';
import { createAfluenteProvider } from '../venues/providers/afluente/afluente';
import { createCctpProvider } from '../venues/providers/cctp/cctp';
import { createJupiterProvider } from '../venues/providers/jupiter/jupiter';
import { createLifiProvider } from '../venues/providers/lifi/lifi';
import { createRelayProvider } from '../venues/providers/relay-bitcoin/relay';
import { createUniswapV2Provider } from '../venues/providers/uniswap-v2/uniswap-v2';
import { createUniswapV3Provider } from '../venues/providers/uniswap-v3/uniswap-v3';
import { createWrapProvider } from '../venues/providers/wrap/wrap';
import { createZeroExProvider } from '../venues/providers/zero-ex/zero-ex';
import type { RequestProviderQuote } from '../venues/request-provider-quote';
import type { QuoteProvider } from '../venues/quote-provider';
import type { TicketStore } from '../ramps/ticket-store';
import type { BitcoinRpc } from '../rpc/bitcoin/bitcoin-rpc';
import type { PoolDirectory } from '../pools/pool-directory';
import type { TransferProbe } from '../pools/transfer-probe';
import type { Rpc } from '../rpc/rpc';
import type { SolanaRpc } from '../rpc/solana/solana-rpc';
import type { ServiceWallet } from '../rpc/service-wallet';
import { transferInstructions } from '../transactions/transfers/solana/transfer-instructions';
import type { Ramps } from './ramps';
import { createPoolSnapshots } from '../pools/pool-snapshots';

/** Bridges for payments to and from banks. These are routed only through calls that this service builds itself. */
const RAMP_SWAP_BRIDGES: ReadonlySet<string> = new Set(['cctp']);

export interface ProviderDeps {
  readonly config: Config;
  readonly log: Pick<Logger, 'info'>;
  readonly rpc: Rpc;
  readonly solana: SolanaRpc;
  readonly bitcoin: BitcoinRpc;
  readonly pools: PoolDirectory;
  readonly probe: TransferProbe;
  readonly ramps: Pick<Ramps, 'rampProviders' | 'subscriptions'>;
  readonly tickets: TicketStore;
  readonly requestProviderQuote: RequestProviderQuote;
  readonly serviceWallet: ServiceWallet | undefined;
}

export interface RegisteredProviders {
  readonly providers: readonly QuoteProvider[];
  /** Ids of the providers of ramps without keys. They are registered, because their requests have error codes of their own. */
  readonly unconfigured: ReadonlySet<string>;
  close(): Promise<void>;
}

/** A third-party provider with its URL and credentials. */
interface ThirdParty {
  readonly id: string;
  readonly baseUrl: string;
  /** Headers with credentials; `undefined` where a key is missing. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Name of the environment variable of the key. */
  readonly keyName?: string;
  readonly create: (http: HttpClient) => QuoteProvider;
}

/** Registers the on-chain providers, and the third-party providers whose keys are configured. */
export function registerProviders(deps: ProviderDeps): RegisteredProviders {
  const { config, rpc, pools, probe, ramps } = deps;
  // Shared: a pool is read once per block for all three.
  const onPools = { rpc, pools, probe, snapshots: createPoolSnapshots({ rpc }) };
  const opened: HttpClient[] = [];
  const providers: QuoteProvider[] = [
    createAfluenteProvider(onPools),
    createUniswapV2Provider(onPools),
    createUniswapV3Provider(onPools),
    createWrapProvider({ rpc }),
  ];
  const onChain = [...providers];
  const unregistered: Record<string, string> = {};
  const unconfigured = new Set<string>();
  for (const { id, baseUrl, headers, keyName, create } of thirdParties(deps)) {
    if (Object.values(headers).includes(undefined)) {
      unregistered[id] = `${keyName ?? 'a key'} is not set`;
      continue;
    }
    const http = createHttpClient({ baseUrl, headers: headers as Record<string, string> });
    opened.push(http);
    providers.push(create(http));
  }
  const venues = [...onChain, ...providers.filter(({ id }) => RAMP_SWAP_BRIDGES.has(id))];
  for (const ramp of Object.values(ramps.rampProviders)) {
    const ofRamp = [
      createRampQuoteProvider({
        ...deps,
        ramp,
        transferInstructions: (transfer) => transferInstructions(deps, transfer),
      }),
      createRampSwapProvider({ ...deps, ramp, venues, chains: config.chains.table }),
    ];
    providers.push(...ofRamp);
    if (ramps.subscriptions.has(ramp.id)) continue;
    for (const { id } of ofRamp) unconfigured.add(id);
  }
  if (Object.keys(unregistered).length > 0) {
    deps.log.info({ providers: unregistered }, 'providers without a key are not registered');
  }
  return {
    providers,
    unconfigured,
    async close() {
      await Promise.all(opened.map((http) => http.close()));
    },
  };
}

function thirdParties({ config, rpc, solana, bitcoin }: ProviderDeps): readonly ThirdParty[] {
  const integratorId = config.ACROSS_INTEGRATOR_ID;
  return [
    {
      id: 'across',
      baseUrl: config.ACROSS_API_URL,
      keyName: 'ACROSS_API_KEY',
      headers: { authorization: bearer(config.ACROSS_API_KEY) },
      create: (http) => createAcrossProvider({ http, rpc, integratorId }),
    },
    {
      id: 'cctp',
      baseUrl: config.CCTP_API_URL,
      headers: {},
      create: (http) => createCctpProvider({ http, rpc }),
    },
    {
      id: 'lifi',
      baseUrl: config.LIFI_API_URL,
      keyName: 'LIFI_API_KEY',
      headers: { 'x-lifi-api-key': config.LIFI_API_KEY },
      create: (http) => createLifiProvider({ http, rpc }),
    },
    {
      id: 'zeroEx',
      baseUrl: config.ZEROEX_API_URL,
      keyName: 'ZEROEX_API_KEY',
      headers: { '0x-api-key': config.ZEROEX_API_KEY, '0x-version': 'v2' },
      create: (http) => createZeroExProvider({ http, rpc }),
    },
    {
      id: 'jupiter',
      baseUrl: config.JUPITER_API_URL,
      keyName: 'JUPITER_API_KEY',
      headers: { 'x-api-key': config.JUPITER_API_KEY },
      create: (http) => createJupiterProvider({ http, solana }),
    },
    {
      id: 'relay',
      baseUrl: config.RELAY_API_URL,
      keyName: 'RELAY_API_KEY',
      headers: { 'x-api-key': config.RELAY_API_KEY },
      create: (http) => createRelayProvider({ http, bitcoin, rpc }),
    },
  ];
}

const bearer = (key: string | undefined): string | undefined => (key === undefined ? undefined : `Bearer ${key}`);
