import type { ErrorCode } from '../../src/errors/catalog';
import type { RouteAuthentication } from '../../src/auth/credentials/authenticator';
import {
  BYTECODE_ERRORS,
  KYC_CURRENCY_ERRORS,
  KYC_DOCUMENT_ERRORS,
  KYC_EVIDENCE_ERRORS,
  KYC_STATUS_ERRORS,
  QUOTE_ERRORS,
  RAMP_LIMITS_ERRORS,
  REPORT_TRANSACTION_ERRORS,
  REQUEST_REFUND_ERRORS,
  STRATEGY_BYTECODE_ERRORS,
  STRATEGY_ERRORS,
  STRATEGY_LIST_ERRORS,
  SWAP_STATUS_ERRORS,
  TRANSFER_ERRORS,
} from './route-errors';

/** Deprecation of a path. Every response carries the headers `Deprecation`, `Sunset` and `Link`. */
export interface RouteDeprecation {
  /** First day of the deprecation, and last day on which the path is served: `YYYY-MM-DD`. */
  readonly since: string;
  readonly sunset: string;
  readonly successor: string;
}

/** Query parameter that decides whether a section is resolved and shown. */
export type SectionCondition =
  /** `true` or `false`. */
  | { readonly parameter: string; readonly default: boolean }
  /** Includes the section when the parameter has one of these values. Sections of a route can share the parameter. */
  | { readonly parameter: string; readonly values: readonly string[]; readonly default: string };

/** A field below the root field of a route that takes arguments, or that is resolved only on request. */
export interface RouteSection {
  /** Field names from the root field down, joined by dots: `history`, `earn.actions`. */
  readonly field: string;
  /** Query parameter for each argument that the route offers. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Without a condition the section is always included. */
  readonly condition?: SectionCondition;
}

export interface RestRoute {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Path; `:name` is the argument of that name. */
  readonly path: string;
  /** Root field of the operation. Its arguments are the parameters, its value is the response. */
  readonly operation: `Query.${string}` | `Mutation.${string}`;
  readonly auth: RouteAuthentication;
  readonly status: number;
  /** Fields with arguments that the response contains. Other fields with arguments are not part of REST. */
  readonly sections?: readonly RouteSection[];
  /**
   * Fields of object types that the response is limited to, besides the sections. Types that are not named have all fields
   * without arguments. No other route may contain a named type.
   */
  readonly shows?: Readonly<Record<string, readonly string[]>>;
  /** Fields that the response leaves out, as paths like those of sections. Other responses with their type have them. */
  readonly omits?: readonly string[];
  /** Codes in addition to those of every route. */
  readonly errors: readonly ErrorCode[];
  readonly tag: 'Swaps' | 'Transfers' | 'Actions' | 'Strategies' | 'Wallets' | 'Customers' | 'KYC';
  /** Largest body in bytes, when it differs from the limit of the other routes. */
  readonly bodyLimit?: number;
  /** For a GET that may write: HEAD and prefetching are refused. */
  readonly mayWrite?: true;
  readonly deprecated?: RouteDeprecation;
  /** Id in the API description, for the second path of an operation. Default: the name of the root field. */
  readonly operationId?: string;
}

const legacy = (successor: string): RouteDeprecation => ({ since: '2026-01-01', sunset: '2027-12-31', successor });

/** Fits three images of 8 MB in base64. */
const EVIDENCE_BODY = 40 * 1024 * 1024;

/** A position in the overview of a wallet has these fields in REST; the graph has more. */
const OVERVIEW_FIELDS = {
  Wallet: [],
  WalletTokens: ['positions', 'summary', 'staleness', 'errors'],
  WalletTokensSummary: ['totalAmountInUSD'],
  TokenPosition: [
    ...['id', 'chainId', 'address', 'symbol', 'name', 'decimals', 'logoURI', 'amount', 'humanized', 'price'],
    ...['amountInUSD', 'stale', 'asOf'],
  ],
} as const;

/** A strategy in the overview has no yields of its own: the position beside it has them. */
const OVERVIEW_OMITS: readonly string[] = [
  ...['apy', 'avgApy', 'grossAPY', 'inceptionApy', 'netAPY', 'rewardAPY', 'rewards'],
].map((field) => `earn.positions.strategy.${field}`);

const OVERVIEW_SECTIONS: readonly RouteSection[] = [
  { field: 'tokens', condition: { parameter: 'include', values: ['tokens', 'all'], default: 'all' } },
  { field: 'earn', condition: { parameter: 'include', values: ['earn', 'all'], default: 'all' } },
  { field: 'earn.positions.investmentActions', condition: { parameter: 'includeInvestmentActions', default: true } },
  {
    field: 'history',
    parameters: { page: 'page', limit: 'limit', status: 'status', sortBy: 'sortBy', sortOrder: 'sortOrder' },
    condition: { parameter: 'includeHistory', default: true },
  },
];

/** The REST contract. Everything else about a route is derived from its operation in the schema. */
// prettier-ignore
export const ROUTES: readonly RestRoute[] = [
  { method: 'GET', path: '/v2/swap/quote', operation: 'Query.swapQuote', auth: 'apiKey', status: 200, errors: QUOTE_ERRORS, tag: 'Swaps', mayWrite: true },
  { method: 'POST', path: '/v2/swap/bytecode', operation: 'Mutation.createSwapTransaction', auth: 'apiKey', status: 200, errors: BYTECODE_ERRORS, tag: 'Swaps' },
  { method: 'GET', path: '/v2/swap/status/:id', operation: 'Query.swapStatus', auth: 'apiKey', status: 200, errors: SWAP_STATUS_ERRORS, tag: 'Swaps', mayWrite: true },

  { method: 'GET', path: '/swap/quote', operation: 'Query.swapQuote', auth: 'apiKey', status: 200, errors: QUOTE_ERRORS, tag: 'Swaps', mayWrite: true, deprecated: legacy('/v2/swap/quote') },
  { method: 'POST', path: '/swap/bytecode', operation: 'Mutation.createSwapTransaction', auth: 'apiKey', status: 200, errors: BYTECODE_ERRORS, tag: 'Swaps', deprecated: legacy('/v2/swap/bytecode') },
  { method: 'GET', path: '/swap/status/:id', operation: 'Query.swapStatus', auth: 'apiKey', status: 200, errors: SWAP_STATUS_ERRORS, tag: 'Swaps', mayWrite: true, deprecated: legacy('/v2/swap/status/:id') },

  { method: 'POST', path: '/transfer/bytecode', operation: 'Mutation.createTransfer', auth: 'apiKey', status: 200, errors: TRANSFER_ERRORS, tag: 'Transfers' },
  { method: 'GET', path: '/transfer/bytecode', operation: 'Query.transfer', auth: 'apiKey', status: 200, errors: TRANSFER_ERRORS, tag: 'Transfers', mayWrite: true },

  { method: 'GET', path: '/actions', operation: 'Query.actions', auth: 'apiKey', status: 200, errors: [], tag: 'Actions' },
  { method: 'GET', path: '/actions/:id', operation: 'Query.action', auth: 'apiKey', status: 200, errors: ['ACTION_NOT_FOUND'], tag: 'Actions' },
  { method: 'POST', path: '/actions/:id/transactions', operation: 'Mutation.reportActionTransaction', auth: 'apiKey', status: 200, errors: REPORT_TRANSACTION_ERRORS, tag: 'Actions' },
  { method: 'POST', path: '/actions/:id/refund', operation: 'Mutation.requestRefund', auth: 'apiKey', status: 200, errors: REQUEST_REFUND_ERRORS, tag: 'Actions' },

  { method: 'GET', path: '/actions/:id/cancel', operation: 'Mutation.cancelAction', auth: 'apiKey', status: 200, errors: ['ACTION_NOT_FOUND', 'INVALID_ACTION_TYPE', 'LENDING_SERVICE_UNAVAILABLE', 'TOKENIZED_STOCK_NOT_CONFIGURED', 'ACTION_CANCEL_REFUND_QUEUE_FAILED'], tag: 'Actions', mayWrite: true },

  { method: 'GET', path: '/strategies/:id/bytecode', operation: 'Query.strategyTransaction', auth: 'apiKey', status: 200, errors: STRATEGY_BYTECODE_ERRORS, tag: 'Strategies', mayWrite: true },
  { method: 'GET', path: '/strategies/:id/status', operation: 'Query.pendingStrategyActions', auth: 'apiKey', status: 200, errors: ['STRATEGY_NOT_FOUND', 'LENDING_SERVICE_UNAVAILABLE'], tag: 'Strategies' },

  { method: 'GET', path: '/v2/wallets/:address', operation: 'Query.wallet', auth: 'apiKeyOrBearer', status: 200, sections: OVERVIEW_SECTIONS, shows: OVERVIEW_FIELDS, omits: OVERVIEW_OMITS, errors: [], tag: 'Wallets', mayWrite: true },
  { method: 'POST', path: '/smart-account', operation: 'Mutation.createSmartAccount', auth: 'apiKey', status: 200, errors: ['PROVIDER_UNAVAILABLE'], tag: 'Wallets' },

  { method: 'POST', path: '/api/v1/kyc/sessions', operation: 'Mutation.createKycSession', auth: 'apiKey', status: 200, errors: ['KYC_WALLET_ALREADY_LINKED'], tag: 'KYC' },
  { method: 'POST', path: '/api/v1/kyc/sessions/:kycUserId/submit', operation: 'Mutation.submitKycEvidence', auth: 'apiKey', status: 200, errors: KYC_EVIDENCE_ERRORS, tag: 'KYC', bodyLimit: EVIDENCE_BODY },
  { method: 'POST', path: '/api/v1/kyc/sessions/:kycUserId/documents', operation: 'Mutation.submitKycDocument', auth: 'apiKey', status: 200, errors: KYC_DOCUMENT_ERRORS, tag: 'KYC', bodyLimit: EVIDENCE_BODY },
  { method: 'GET', path: '/api/v1/kyc/status', operation: 'Query.kycStatus', auth: 'apiKey', status: 200, errors: KYC_STATUS_ERRORS, tag: 'KYC', mayWrite: true },
  { method: 'POST', path: '/api/v1/kyc/currency-unlock', operation: 'Mutation.unlockKycCurrency', auth: 'apiKey', status: 200, errors: KYC_CURRENCY_ERRORS, tag: 'KYC' },
  { method: 'GET', path: '/api/v1/kyc/:kycUserId/wallets', operation: 'Query.kycWallets', auth: 'apiKey', status: 200, errors: ['KYC_PROFILE_NOT_FOUND'], tag: 'KYC' },
  { method: 'POST', path: '/api/v1/kyc/:kycUserId/wallets', operation: 'Mutation.linkKycWallet', auth: 'apiKey', status: 200, errors: ['KYC_PROFILE_NOT_FOUND', 'KYC_WALLET_ALREADY_LINKED'], tag: 'KYC' },
  { method: 'DELETE', path: '/api/v1/kyc/:kycUserId/wallets/:walletAddress', operation: 'Mutation.unlinkKycWallet', auth: 'apiKey', status: 200, errors: ['KYC_PROFILE_NOT_FOUND', 'KYC_WALLET_NOT_LINKED', 'KYC_LAST_WALLET'], tag: 'KYC' },
  { method: 'GET', path: '/api/v1/limits', operation: 'Query.rampLimits', auth: 'apiKey', status: 200, errors: RAMP_LIMITS_ERRORS, tag: 'KYC' },

  { method: 'GET', path: '/strategies', operation: 'Query.strategies', auth: 'apiKey', status: 200, errors: STRATEGY_LIST_ERRORS, tag: 'Strategies' },
  { method: 'GET', path: '/v2/strategies', operation: 'Query.strategies', auth: 'apiKey', status: 200, errors: STRATEGY_LIST_ERRORS, tag: 'Strategies', operationId: 'strategiesV2' },
  { method: 'GET', path: '/strategies/:strategyId', operation: 'Query.strategyDetail', auth: 'apiKey', status: 200, errors: STRATEGY_ERRORS, tag: 'Strategies' },
  { method: 'GET', path: '/v2/strategies/:strategyId', operation: 'Query.strategyDetail', auth: 'apiKey', status: 200, errors: STRATEGY_ERRORS, tag: 'Strategies', operationId: 'strategyDetailV2' },
  { method: 'GET', path: '/wallets/:wallet/history/:strategyId', operation: 'Query.strategyHistory', auth: 'apiKey', status: 200, errors: STRATEGY_ERRORS, tag: 'Strategies' },

  { method: 'GET', path: '/customers/me', operation: 'Query.me', auth: 'bearer', status: 200, errors: [], tag: 'Customers' },
  { method: 'GET', path: '/customers/:id/tokens', operation: 'Query.customerTokens', auth: 'bearer', status: 200, errors: ['CUSTOMER_NOT_FOUND'], tag: 'Customers' },
  { method: 'GET', path: '/customers/:id/token-groups', operation: 'Query.customerTokenGroups', auth: 'bearer', status: 200, errors: ['CUSTOMER_NOT_FOUND'], tag: 'Customers' },
];
