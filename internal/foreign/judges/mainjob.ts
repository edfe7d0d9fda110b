// The main job by a client that is generated from the served document: a company of a text and two files, the list, a change, an attachment.
// It is compiled strictly, so what is optional in a request must be optional in the document.
import { readFile } from "node:fs/promises";
import createClient from "openapi-fetch";
import type { components, paths } from "./api.js";

const [base, key, accountID, deckPath] = process.argv.slice(2);
if (!base || !key || !accountID || !deckPath) throw new Error("usage: mainjob BASE KEY ACCOUNT DECK");

const deals = createClient<paths>({ baseUrl: base, headers: { Authorization: `Bearer ${key}` } });

function check(holds: boolean, said: string, got: unknown): void {
  if (!holds) throw new Error(`${said}: ${JSON.stringify(got)}`);
}

// got returns the data of an envelope, or throws the refusal.
function got<T>(answer: { data?: { data: T }; error?: unknown }): T {
  if (!answer.data) throw new Error(JSON.stringify(answer.error));
  return answer.data.data;
}

// form sends files beside fields: JSON has no files, so the document says of them that they are binary, and TypeScript that they are strings.
function form(files: Record<string, File>) {
  return (fields: Record<string, unknown>) => {
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) body.append(name, String(value));
    for (const [name, file] of Object.entries(files)) body.append(name, file);
    return body;
  };
}

const deck = new File([await readFile(deckPath)], "deck.pdf", { type: "application/pdf" });
const draft: components["schemas"]["AICreationForm"] = {
  account_id: accountID,
  text: "Hi, I'm Paulo, founder of Tidemark. We raise a seed round. Deck: https://docsend.com/view/abc123",
};
const made = got(await deals.POST("/companies/upload/ai", { body: draft, bodySerializer: form({ file_0: deck }) }));
const id = made.company.id;
if (id === null) throw new Error("a company that was made has no id");
check(made.company.name === "Tidemark" && made.pdfDownloadUrl !== undefined && made.analysis.processedAt !== null, "made", made);

const plain: components["schemas"]["CreateCompanyBody"] = { account_id: accountID, name: "Brackenfield" };
const second = got(await deals.POST("/companies", { body: plain }));
check(second.company.visibility === "team" && second.company.source === "manual", "defaults", second);

const listed = got(await deals.GET("/companies", { params: { query: { search: "Tidemark" } } }));
check(listed.companies.length === 1 && listed.companies[0]?.id === id && listed.pagination.next_cursor === null, "listed", listed);

const changed = got(await deals.PATCH("/companies/{id}", { params: { path: { id } }, body: { notes: "Call them", visibility: "private" } }));
check(changed.company.notes === "Call them" && changed.company.visibility === "private", "changed", changed);

const attached = got(await deals.POST("/companies/{id}/attachments", {
  params: { path: { id } }, body: { title: "Numbers" }, bodySerializer: form({ file: new File(["a,b\n1,2\n"], "numbers.csv") }),
}));
check(attached.attachment.title === "Numbers" && attached.attachment.file_size_bytes === 8, "attached", attached);

const refused = await deals.POST("/companies", { body: { account_id: "x", name: "" } });
const fields: string[] = refused.error?.details.map((detail) => detail.field) ?? [];
check(refused.response.status === 400 && fields.join() === "account_id,name", "refused", refused.error);
