import type { Chain } from '../chains/chain';
import type { Config } from '../config/config';
import { serviceError } from '../errors/service-error';
import { createHttpClient, type HttpClient } from '../http/http-client';
import type { RampKycProvider } from '../ramps/kyc-provider';
import type { PrimaryRampCallbacks } from '../ramps/providers/primary/callbacks';
import { createPrimaryRamp, type PrimaryRamp, type PrimaryRampOptions } from '../ramps/providers/primary/primary-ramp';
import { primaryRampSignature } from '../ramps/providers/primary/sign-request';
import {
  createSecondaryRamp,
  type SecondaryRamp,
  unconfiguredSecondaryRamp,
} from '../ramps/providers/secondary/secondary-ramp';
import type { RampId, RampProvider } from '../ramps/ramp-provider';

/** The ramps, once for each of their ports. */
export interface Ramps {
  readonly kycProviders: Readonly<Record<RampId, RampKycProvider>>;
  readonly rampProviders: Readonly<Record<RampId, RampProvider>>;
  /** Callbacks of the primary ramp, which signs them. */
  readonly callbacks: PrimaryRampCallbacks;
  /** Base URL and subscription of each configured ramp. */
  readonly subscriptions: ReadonlyMap<RampId, RampSubscription>;
  close(): Promise<void>;
}

interface RampSubscription {
  readonly baseUrl: string;
  /** @throws UpstreamError */
  readonly subscribe: (url: string, signal: AbortSignal) => Promise<void>;
}

/** What the ramps report to the metrics. */
type RampObserver = Pick<PrimaryRampOptions, 'onUncheckedPixKey'>;

/** Opens the ramps. A ramp without keys rejects every request. */
export function openRamps(config: Config, observer: RampObserver = {}): Ramps {
  const opened: HttpClient[] = [];
  const keep = (http: HttpClient): HttpClient => {
    opened.push(http);
    return http;
  };
  const ramps = { primary: primaryRamp(config, keep, observer), secondary: secondaryRamp(config, keep) };
  return {
    kycProviders: ramps,
    rampProviders: ramps,
    callbacks: ramps.primary,
    subscriptions: subscriptionsOf(config, ramps),
    async close() {
      await Promise.all(opened.map((http) => http.close()));
    },
  };
}

type Subscriber = Pick<RampSubscription, 'subscribe'>;

function subscriptionsOf(
  config: Config,
  { primary, secondary }: Readonly<Record<RampId, Subscriber>>,
): Ramps['subscriptions'] {
  const { PRIMARY_RAMP_API_KEY, PRIMARY_RAMP_PRIVATE_KEY, SECONDARY_RAMP_API_KEY } = config;
  const hasPrimary = PRIMARY_RAMP_API_KEY !== undefined && PRIMARY_RAMP_PRIVATE_KEY !== undefined;
  const hasSecondary = SECONDARY_RAMP_API_KEY !== undefined;
  const subscriptionOf = (ramp: RampId, baseUrl: string, { subscribe }: Subscriber) =>
    [[ramp, { baseUrl, subscribe }]] as const;
  return new Map([
    ...(hasPrimary ? subscriptionOf('primary', config.PRIMARY_RAMP_URL, primary) : []),
    ...(hasSecondary ? subscriptionOf('secondary', config.SECONDARY_RAMP_URL, secondary) : []),
  ]);
}

type Keep = (http: HttpClient) => HttpClient;

function primaryRamp(config: Config, keep: Keep, observer: RampObserver): PrimaryRamp {
  const { PRIMARY_RAMP_URL: baseUrl, PRIMARY_RAMP_API_KEY: apiKey, PRIMARY_RAMP_PRIVATE_KEY: key } = config;
  if (apiKey === undefined || key === undefined) return unconfiguredPrimaryRamp();
  // In an environment variable the line breaks of a PEM may be written as `\\n`.
  const sign = primaryRampSignature({ apiKey, privateKey: key.replaceAll('\\n', '\n') });
  const http = keep(createHttpClient({ baseUrl, sign }));
  const networks = networksOf(config, ({ ramps }) => ramps?.primary);
  return createPrimaryRamp({ http, apiUrl: baseUrl, networks, ...observer });
}

function secondaryRamp(config: Config, keep: Keep): SecondaryRamp {
  const { SECONDARY_RAMP_URL: baseUrl, SECONDARY_RAMP_API_KEY: authorization } = config;
  const networks = networksOf(config, ({ ramps }) => ramps?.secondary);
  if (authorization === undefined) return unconfiguredSecondaryRamp({ networks });
  return createSecondaryRamp({ http: keep(createHttpClient({ baseUrl, headers: { authorization } })), networks });
}

const networksOf = <Network>(
  { chains }: Config,
  nameOf: (chain: Chain) => Network | undefined,
): Readonly<Record<number, Network>> =>
  Object.fromEntries(
    chains.table.all.flatMap((chain) => {
      const network = nameOf(chain);
      return network === undefined ? [] : [[chain.chainId, network] as const];
    }),
  );

function unconfiguredPrimaryRamp(): PrimaryRamp {
  const reason = 'the primary ramp is not configured';
  // Lasts until the deployment is configured otherwise, so the request counts against the rate limit.
  const details = { counted: true };
  const refuse = (): Promise<never> => Promise.reject(serviceError('SERVICE_UNAVAILABLE', { reason }, { details }));
  return {
    id: 'primary',
    openAccount: refuse,
    submitEvidence: refuse,
    verificationState: refuse,
    saveBeneficiary: refuse,
    supports: () => false,
    quote: refuse,
    openTicket: refuse,
    findTicket: refuse,
    ticketState: refuse,
    accountLimits: refuse,
    verifyCallback: () => Promise.resolve(undefined),
    subscribe: refuse,
  };
}
