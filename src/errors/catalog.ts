/**
 * One row of the catalog. `message` says what is wrong, the bound or the allowed values, and what to do next; `{name}`
 * in it is a parameter that `serviceError` requires.
 */
export interface CatalogRow {
  /** HTTP status of the REST response. */
  readonly status: number;
  /** True when the same request may succeed later without a change by the caller. */
  readonly retryable: boolean;
  readonly message: string;
}

/**
 * All public error codes with status and message, grouped by the tables of the API specification. Its table "transfers, bridges,
 * transactions, general" is `transfers` and `general` here.
 */
export const CATALOG_TABLES = {
  authentication: {
    AUTHENTICATION_REQUIRED: { status: 401, retryable: false, message: 'Authentication is required: {reason}' },
    INVALID_API_KEY: { status: 401, retryable: false, message: 'The API key is missing, unknown, expired or revoked. Send a valid key in the x-api-key header' },
    INVALID_AUTH_TOKEN: { status: 401, retryable: false, message: 'The access token is invalid or has expired. Request a new token and send it as a Bearer token' },
    FORBIDDEN: { status: 403, retryable: false, message: 'Access denied: {reason}' },
    FEE_SPONSORSHIP_NOT_ALLOWED: {
      status: 403,
      retryable: false,
      message: 'Fee sponsorship is not available: {reason}. Send the request without feeSponsorship',
    },
  },
  requests: {
    VALIDATION_ERROR: { status: 422, retryable: false, message: 'The request is invalid: {reason}' },
    NOT_FOUND: { status: 404, retryable: false, message: 'No resource at {method} {path}. See GET /openapi.json for all routes' },
    METHOD_NOT_ALLOWED: { status: 405, retryable: false, message: '{method} is not allowed at {path}. Allowed methods: {allowed}' },
    IDEMPOTENCY_KEY_IN_USE: { status: 409, retryable: true, message: 'A request with this Idempotency-Key is still in progress. Retry later with the same key' },
    SERVICE_UNAVAILABLE: { status: 503, retryable: true, message: 'The service is temporarily unavailable: {reason}' },
  },
  general: {
    RATE_LIMIT_EXCEEDED: { status: 429, retryable: true, message: 'Rate limit exceeded: {bound}. Retry in {retryAfter} s' },
    RATE_LIMITED: { status: 429, retryable: true, message: 'Too many requests from this IP address. Retry in {retryAfter} s' },
    INTERNAL_SERVER_ERROR: { status: 500, retryable: true, message: 'An unexpected error occurred' },
  },
  graph: {
    GRAPHQL_VALIDATION_FAILED: { status: 400, retryable: false, message: 'The document is invalid: {reason}' },
    OPERATION_RESOLUTION_FAILURE: { status: 400, retryable: false, message: 'The operation was not found in the document: {reason}' },
    DOCUMENT_LIMIT_EXCEEDED: { status: 400, retryable: false, message: 'The document exceeds the limit of {maximum} {counted}' },
    DOCUMENT_REFUSED: { status: 400, retryable: false, message: 'No query plan can be made for this document. Simplify it and try again' },
    SUBREQUEST_TIMEOUT: { status: 504, retryable: true, message: 'A part of the service did not respond in time. Retry the request' },
    SUBREQUEST_FAILED: { status: 502, retryable: true, message: 'A part of the service is unreachable. Retry the request' },
    DOWNSTREAM_SERVICE_ERROR: { status: 502, retryable: true, message: 'A part of the service reported an error. Retry the request' },
    INVALID_SUBGRAPH_RESPONSE: { status: 502, retryable: true, message: '{reason}' },
    INVALID_PRICE_RANGE: { status: 400, retryable: false, message: 'The range of the price history is invalid: {reason}' },
  },
  quotesAndSwaps: {
    QUOTE_NOT_FOUND: { status: 404, retryable: false, message: 'The quote {quoteId} was not found or has expired. Request a new quote' },
    QUOTE_EXPIRED: { status: 400, retryable: false, message: 'The quote has expired, or its price is no longer available. Request a new quote' },
    QUOTE_VALIDATION_ERROR: { status: 400, retryable: false, message: 'The request does not match the quote {quoteId}: {reason}' },
    QUOTE_GENERATION_FAILED: { status: 400, retryable: false, message: 'No quote could be generated for these parameters: {reason}' },
    NO_ROUTE_FOUND: { status: 400, retryable: false, message: 'No route from {tokenIn} on {originChain} to {tokenOut} on {destinationChain}' },
    PROVIDER_UNAVAILABLE: { status: 502, retryable: true, message: 'Provider {provider} is unavailable: {reason}' },
    PROVIDER_NOT_FOUND: { status: 404, retryable: false, message: 'No swap provider supports {route}' },
    INVALID_PREFERRED_PROVIDER: { status: 400, retryable: false, message: 'preferredProvider "{provider}" is unknown. Registered providers: {registered}' },
    PREFERRED_PROVIDER_NOT_ELIGIBLE: { status: 400, retryable: false, message: 'Provider {provider} does not support this route. Choose another preferredProvider or omit it' },
    PREFERRED_PROVIDER_QUOTE_UNAVAILABLE: { status: 400, retryable: true, message: 'Provider {provider} returned no quote: {reason}' },
    INVALID_ACTION_TYPE: { status: 400, retryable: false, message: 'The action type {type} is not supported for this operation' },
    BYTECODE_GENERATION_FAILED: { status: 500, retryable: true, message: 'The transaction could not be generated: {reason}' },
    SWAP_EXECUTION_FAILED: { status: 500, retryable: true, message: 'The swap could not be executed: {reason}' },
    ROUTER_EXACT_OUT_UNSUPPORTED: { status: 400, retryable: false, message: 'amountOut is not supported for quotes in BRL. Use amountIn' },
  },
  amounts: {
    INVALID_AMOUNT_PARAMS: { status: 400, retryable: false, message: 'amountIn and amountOut exclude each other. Give exactly one of them' },
    MISSING_AMOUNT_PARAMS: { status: 400, retryable: false, message: 'An amount is required. Give exactly one of amountIn and amountOut' },
    INVALID_SLIPPAGE: { status: 400, retryable: false, message: 'slippage {slippage} is out of range. It must be from 0.0001 to 0.5' },
    AMOUNT_IN_TOO_LOW: { status: 400, retryable: false, message: 'amountIn is below the route minimum (min {minimum})' },
    AMOUNT_IN_TOO_HIGH: { status: 400, retryable: false, message: 'amountIn exceeds the available liquidity (max {maximum})' },
    AMOUNT_IN_TOO_LOW_OFFRAMP: { status: 400, retryable: false, message: 'amountIn is below the off-ramp minimum (min {minimum})' },
    AMOUNT_IN_TOO_HIGH_OFFRAMP: { status: 400, retryable: false, message: 'amountIn is above the off-ramp maximum (max {maximum})' },
    AMOUNT_OUT_TOO_LOW_OFFRAMP: { status: 400, retryable: false, message: 'amountOut is below the off-ramp minimum (min {minimum})' },
    AMOUNT_OUT_TOO_HIGH_OFFRAMP: { status: 400, retryable: false, message: 'amountOut is above the off-ramp maximum (max {maximum})' },
    AMOUNT_IN_TOO_LOW_ONRAMP: { status: 400, retryable: false, message: 'amountIn is below the on-ramp minimum (min {minimum})' },
    AMOUNT_IN_TOO_HIGH_ONRAMP: { status: 400, retryable: false, message: 'amountIn is above the on-ramp maximum (max {maximum})' },
    AMOUNT_OUT_TOO_LOW_ONRAMP: { status: 400, retryable: false, message: 'amountOut is below the on-ramp minimum (min {minimum})' },
    AMOUNT_OUT_TOO_HIGH_ONRAMP: { status: 400, retryable: false, message: 'amountOut is above the on-ramp maximum (max {maximum})' },
    AMOUNT_EXCEEDS_PROVIDER_LIMIT: { status: 409, retryable: false, message: 'The amount exceeds the remaining limit of the account at the ramp ({bound})' },
    RAMP_AMOUNT_OUT_OF_RANGE: { status: 422, retryable: false, message: 'The amount is outside the range of the ramp provider ({range})' },
    INVALID_TX_HASH: { status: 400, retryable: false, message: 'The transaction hash is malformed. Use 0x and 64 hexadecimal digits, or a base58 signature on Solana' },
  },
  pix: {
    PIX_THIRD_PARTY_QUOTE_MISMATCH: { status: 400, retryable: false, message: 'thirdParty differs from the quote {quoteId}. Send the value of the quote, or request a new quote' },
    MISSING_PIX_KEY: { status: 400, retryable: false, message: 'pixKey is required for a BRL payout' },
    INVALID_PIX_KEY: { status: 400, retryable: false, message: 'The Pix key is invalid or is not registered. Use a CPF, CNPJ, email address, phone number, random key or BR Code' },
    PIX_KEY_LOOKUP_FAILED: { status: 502, retryable: true, message: 'The Pix key could not be validated, because the directory is unavailable. Retry later' },
    INVALID_PIX_BRCODE_FORMAT: { status: 400, retryable: false, message: 'The Pix BR Code is malformed: {reason}' },
    PIX_BRCODE_EXPIRED: { status: 400, retryable: false, message: 'The Pix BR Code has expired. Request a new code from the payee' },
    PIX_BRCODE_LOOKUP_FAILED: { status: 502, retryable: true, message: 'The details of the Pix BR Code could not be loaded. Retry later' },
    PIX_BRCODE_REQUOTE_REQUIRED: { status: 400, retryable: false, message: 'The Pix BR Code has a fixed amount that the quote does not include. Request a new quote with this code as pixKey' },
  },
  ramps: {
    INVALID_RAMP_PROVIDER: { status: 400, retryable: false, message: 'rampProvider "{provider}" is unknown. Use primary, secondary or the brand name of a ramp' },
    RAMP_PROVIDER_NOT_ELIGIBLE: { status: 400, retryable: false, message: 'Ramp provider {provider} is not eligible: {reason}' },
    RAMP_ACCOUNT_ID_MISSING: { status: 400, retryable: false, message: 'The KYC profile has no account at ramp provider {provider}. Submit its evidence to this ramp first' },
    KYC_PROFILE_INCOMPLETE_FOR_RAMP: { status: 400, retryable: false, message: 'The KYC profile lacks fields that the ramp provider requires: {fields}' },
    KYC_PROFILE_NOT_FOUND: { status: 404, retryable: false, message: 'No active KYC profile was found. Open one with POST /api/v1/kyc/sessions' },
    KYC_WALLET_ALREADY_LINKED: { status: 409, retryable: false, message: 'The wallet is linked to another KYC profile. Unlink it there first' },
    KYC_WALLET_NOT_LINKED: { status: 404, retryable: false, message: 'The wallet is not linked to this KYC profile' },
    KYC_LAST_WALLET: { status: 409, retryable: false, message: 'The last wallet of a KYC profile cannot be unlinked. Link another wallet first' },
    SECONDARY_RAMP_NOT_CONFIGURED: { status: 500, retryable: false, message: 'The secondary ramp is not configured on this deployment' },
    SECONDARY_RAMP_API_ERROR: { status: 502, retryable: true, message: 'The request to the secondary ramp failed. Retry later' },
    INVALID_SECONDARY_RAMP_QUOTE: { status: 502, retryable: true, message: 'The quote of the secondary ramp lacks required fields' },
    INVALID_SECONDARY_RAMP_TICKET: { status: 502, retryable: true, message: 'The transaction of the secondary ramp lacks required fields' },
    INVALID_SECONDARY_RAMP_CUSTOMER: { status: 502, retryable: true, message: 'The customer of the secondary ramp lacks required fields' },
    SECONDARY_RAMP_KYC_NOT_PROVISIONED: { status: 409, retryable: false, message: 'The secondary ramp has no customer for this profile. Submit its evidence first' },
    SECONDARY_RAMP_KYC_REJECTED: { status: 409, retryable: false, message: 'The secondary ramp rejected this profile' },
    SECONDARY_RAMP_KYC_IN_PROGRESS: { status: 409, retryable: true, message: 'The secondary ramp is reviewing this profile. Poll GET /api/v1/kyc/status' },
    SECONDARY_RAMP_USD_OFFRAMP_ACCOUNT_MISSING: { status: 409, retryable: false, message: 'The USD off-ramp requires a saved bank account. Call POST /api/v1/kyc/currency-unlock first' },
  },
  evidence: {
    INVALID_EVIDENCE_IMAGE: { status: 422, retryable: false, message: 'The evidence image is not valid base64, or it exceeds 8 MB: {field}' },
    UNSUPPORTED_EVIDENCE_IMAGE_FORMAT: {
      status: 422,
      retryable: false,
      message: 'The evidence image has an unsupported format: {field}. Use JPEG or PNG; documents for the secondary ramp may also be PDF',
    },
    EVIDENCE_URL_NOT_ALLOWED: { status: 422, retryable: false, message: 'The evidence URL is not allowed: {field}. Use an https URL at a supported storage provider' },
    EVIDENCE_URL_EXPIRED: { status: 422, retryable: false, message: 'The signature of the evidence URL has expired: {field}. Send a new URL' },
    EVIDENCE_URL_FORBIDDEN: { status: 422, retryable: false, message: 'The storage provider rejected the evidence URL: {field}. Send a signed URL that allows reading' },
    EVIDENCE_URL_NOT_FOUND: { status: 422, retryable: false, message: 'The evidence URL has no object: {field}' },
    EVIDENCE_URL_UNREACHABLE: { status: 422, retryable: true, message: 'The storage provider of the evidence URL is unreachable: {field}' },
    EVIDENCE_URL_TIMEOUT: { status: 422, retryable: true, message: 'The evidence images could not be loaded within 8 seconds. Retry, or send smaller images' },
    DOCUMENT_BACK_REQUIRED: { status: 422, retryable: false, message: 'documents.back is required for {documentType}' },
    DOCUMENT_BACK_NOT_ALLOWED: { status: 422, retryable: false, message: 'documents.back is not allowed for {documentType}. Omit it' },
    INVALID_BIRTH_DATE: { status: 422, retryable: false, message: 'extracted.birthDate must be YYYY-MM-DD' },
    LIVENESS_BELOW_THRESHOLD: { status: 422, retryable: false, message: 'The liveness confidence is below the minimum. Repeat the liveness check' },
    IDENTITY_CPF_MISMATCH: { status: 409, retryable: false, message: 'The CPF of the document differs from the CPF of the session' },
    UNDER_18: { status: 409, retryable: false, message: 'The person is under 18 years old' },
  },
  strategies: {
    ACTION_NOT_FOUND: { status: 404, retryable: false, message: 'The action {actionId} was not found' },
    STRATEGY_NOT_FOUND: { status: 404, retryable: false, message: 'The strategy {strategyId} was not found' },
    CUSTOMER_STRATEGY_NOT_FOUND: { status: 404, retryable: false, message: 'The strategy {strategyId} is not enabled for this customer' },
    FEE_ACTIVATION_IN_PROGRESS: { status: 409, retryable: true, message: 'The profit fee is already being activated. Retry later' },
    FEE_ACTIVATION_TASK_NOT_PERSISTED: { status: 500, retryable: true, message: 'The fee activation task could not be stored. Retry later' },
    RECURRING_COLLECTION_REQUIRES_FEE: { status: 400, retryable: false, message: 'Recurring collection requires a performance or markup fee' },
    RECURRING_MARKUP_RECIPIENT_REQUIRED: { status: 422, retryable: false, message: 'Live recurring collection with a markup fee requires a non-zero recipient' },
    MARKUP_RECIPIENT_CONFLICTS_WITH_PERFORMANCE_COLLECTOR: { status: 422, retryable: false, message: 'The markup recipient must differ from the performance fee collector' },
    RECURRING_RECIPIENT_ROTATION_PENDING_DISPATCH: { status: 409, retryable: true, message: 'The recipient cannot be changed while a collection transaction is pending. Retry later' },
    RECURRING_REGISTRY_CONTROLLER_NOT_CONFIGURED: { status: 503, retryable: false, message: 'The registry controller is not configured for {network}' },
    RECURRING_REGISTRY_MISMATCH: { status: 409, retryable: true, message: 'The on-chain registry is not synchronized yet. Retry later' },
    PRICE_IN_USD_NOT_SUPPORTED: { status: 400, retryable: false, message: 'This strategy does not support priceInUsd' },
    EXPIRE_AT_NOT_SUPPORTED: { status: 400, retryable: false, message: 'This strategy does not support expireAt' },
    ACTION_CANCEL_REFUND_QUEUE_FAILED: { status: 502, retryable: true, message: 'The action is REFUNDED, but its refund could not be queued. Retry the request' },
    LENDING_SERVICE_UNAVAILABLE: { status: 503, retryable: true, message: 'The lending service is temporarily unavailable. Retry later' },
    LENDING_BAD_REQUEST: { status: 400, retryable: false, message: 'The lending service rejected the request: {reason}' },
    TOKENIZED_STOCK_NOT_CONFIGURED: { status: 503, retryable: false, message: 'The tokenized-stock API is not configured on this deployment' },
    TOKENIZED_STOCK_ATTESTATION_FAILED: { status: 502, retryable: true, message: 'The hard attestation request failed. Retry later' },
    TOKENIZED_STOCK_SOFT_QUOTE_UNAVAILABLE: { status: 502, retryable: true, message: 'The soft quote is unavailable. Retry later' },
    TOKENIZED_STOCK_FLOOR_BREACH: { status: 409, retryable: true, message: 'The hard attestation is worse than the minimum of the transaction. Request a new quote' },
  },
  transfers: {
    TRANSFER_VALIDATION_FAILED: { status: 400, retryable: false, message: 'The token transfer is invalid: {reason}' },
    INSUFFICIENT_AMOUNT_FOR_REFUND: { status: 400, retryable: false, message: 'The transferred amount does not cover the refund fee' },
    REFUND_PROCESSING_FAILED: { status: 500, retryable: true, message: 'The refund transaction failed. Retry later' },
    DEPOSIT_NOT_FOUND: { status: 404, retryable: true, message: 'The Bitcoin deposit was not found. Retry once the network has relayed its transaction' },
    BRIDGE_API_ERROR: { status: 502, retryable: true, message: 'The bridge provider is unavailable, or its response is invalid. Retry later' },
    TX_UPDATE_FAILED: { status: 500, retryable: true, message: 'The transaction status could not be updated. Retry later' },
    TX_NOT_FOUND: { status: 404, retryable: true, message: 'The transaction {txHash} was not found on {chain}. Retry once it has been broadcast' },
    TX_NOT_MINED: { status: 422, retryable: true, message: 'The transaction {txHash} is not mined yet. Retry later' },
    TX_REVERTED: { status: 422, retryable: false, message: 'The transaction {txHash} reverted' },
  },
  wallets: {
    PINNED_TOKEN_LIMIT_REACHED: { status: 409, retryable: false, message: 'The wallet has {maximum} pinned tokens, the maximum. Unpin one first' },
  },
} as const satisfies Record<string, Record<string, CatalogRow>>;

/** All rows by code. */
export const CATALOG = {
  ...CATALOG_TABLES.authentication,
  ...CATALOG_TABLES.requests,
  ...CATALOG_TABLES.general,
  ...CATALOG_TABLES.graph,
  ...CATALOG_TABLES.quotesAndSwaps,
  ...CATALOG_TABLES.amounts,
  ...CATALOG_TABLES.pix,
  ...CATALOG_TABLES.ramps,
  ...CATALOG_TABLES.evidence,
  ...CATALOG_TABLES.strategies,
  ...CATALOG_TABLES.transfers,
  ...CATALOG_TABLES.wallets,
} as const;

export type ErrorCode = keyof typeof CATALOG;
