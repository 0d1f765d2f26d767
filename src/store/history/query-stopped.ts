import { AssayError, EXIT } from "../../core/index.js";

/** Thrown by a query that was stopped. */
export class QueryStopped extends AssayError {
  constructor() {
    super("QUERY_STOPPED", "The query was stopped.", { exitCode: EXIT.interrupted });
  }
}
