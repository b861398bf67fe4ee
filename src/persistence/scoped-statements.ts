import { Client, type PoolClient, Query } from 'pg';

/** The server's own name of the statement that sets the customer, which each connection prepares when it is opened. */
const SET_CUSTOMER = 'set_customer';

/** Run by each new connection whose statements are scoped. */
export const PREPARE_SET_CUSTOMER = `PREPARE ${SET_CUSTOMER}(text) AS SELECT set_config('app.customer', $1, true)`;

/** A statement that begins a transaction, and nothing else. */
const BEGIN = /^\s*(?:BEGIN|START\s+TRANSACTION)\b[^;]*;?\s*$/i;

type Callback = (error: Error | undefined, result?: unknown) => void;

/** Parts of the driver's connection that its type does not declare. */
interface Wire {
  bind(message: { readonly portal: string; readonly statement: string; readonly values: readonly string[] }): void;
  execute(message: { readonly portal: string; readonly rows: number }): void;
}

/** Parts of the driver's statements that their type does not declare. */
interface Statement {
  text: string;
  callback?: Callback | undefined;
  readonly requiresPreparation: () => boolean;
  readonly submit: (connection: Wire) => Error | null;
  readonly prepare: (connection: Wire) => void;
  readonly handleRowDescription: (message: unknown) => void;
  readonly handleDataRow: (message: unknown) => void;
  readonly handleCommandComplete: (message: unknown, connection: Wire) => void;
}

/**
 * Makes each statement of a connection run for the customer that `customerOf` returns: the customer is set in the transaction of
 * the statement, and by the same message to the server. It costs no round trip, nothing is left of it when the transaction ends, and
 * a statement whose customer could not be set does not run. Without a customer, statements run as they are.
 */
export function scopeStatements(client: PoolClient, customerOf: () => string | undefined): void {
  // Read at each statement: what observes the driver sees these statements as well.
  const query = (...parameters: readonly unknown[]): unknown =>
    (Client.prototype.query as (...given: readonly unknown[]) => unknown).apply(client, [...parameters]);
  const scoped = (config: string | { readonly query_timeout?: number }, ...rest: readonly unknown[]): unknown => {
    const customerId = customerOf();
    if (customerId === undefined) return query(config, ...rest);
    const statement = new Query(config as never, ...(rest as [])) as unknown as Statement;
    setCustomerWith(statement, { client, customerId });
    // The driver reads the time limit of a statement from the object that it is given.
    if (typeof config === 'object') Object.assign(statement, { query_timeout: config.query_timeout });
    if (statement.callback !== undefined) return query(statement);
    return new Promise((resolve, reject) => {
      statement.callback = (error, result) => (error ? reject(error) : resolve(result));
      query(statement);
    });
  };
  Object.assign(client, { query: scoped });
}

/**
 * Adds a statement that sets the customer. Its results are left out: those of the statement are as without it. Within a
 * transaction the customer is set already.
 */
function setCustomerWith(
  statement: Statement,
  { client, customerId }: { readonly client: PoolClient; readonly customerId: string },
): void {
  const { submit, prepare, handleRowDescription, handleDataRow, handleCommandComplete } = statement;
  /** How many statements end before the one that sets the customer. */
  let position = -1;
  let ended = 0;
  Object.assign(statement, {
    submit(connection: Wire): Error | null {
      if (client.getTransactionStatus() === 'I') position = addSetting(statement, client.escapeLiteral(customerId));
      return submit.call(statement, connection);
    },
    prepare(connection: Wire): void {
      if (position === 0) {
        connection.bind({ portal: '', statement: SET_CUSTOMER, values: [customerId] });
        connection.execute({ portal: '', rows: 0 });
      }
      prepare.call(statement, connection);
    },
    handleRowDescription(message: unknown): void {
      if (ended !== position) handleRowDescription.call(statement, message);
    },
    handleDataRow(message: unknown): void {
      if (ended !== position) handleDataRow.call(statement, message);
    },
    handleCommandComplete(message: unknown, connection: Wire): void {
      ended += 1;
      if (ended - 1 !== position) handleCommandComplete.call(statement, message, connection);
    },
  });
}

/**
 * Adds the setting to the text of a statement that is not prepared, and returns its position. `BEGIN` is followed by `SET LOCAL`,
 * which does not count as a query: the isolation level can still be set after it.
 */
function addSetting(statement: Statement, customer: string): number {
  if (statement.requiresPreparation()) return 0;
  if (BEGIN.test(statement.text)) {
    statement.text = `${statement.text.replace(/;\s*$/, '')}; SET LOCAL app.customer = ${customer}`;
    return 1;
  }
  statement.text = `SELECT set_config('app.customer', ${customer}, true); ${statement.text}`;
  return 0;
}
