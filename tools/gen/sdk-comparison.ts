/** The same tasks with the SDKs of OpenAI, where they have them, in the style of the READMEs of our own. */
export const comparison: Readonly<Record<string, { typescript: string; python: string; go: string }>> = {
  'First run': {
    typescript: `import OpenAI from 'openai'

const client = new OpenAI()
const response = await client.responses.create({ model, input: 'Hello' })
console.log(response.status, response.output_text)`,
    python: `from openai import OpenAI

client = OpenAI()
response = client.responses.create(model=model, input="Hello")
print(response.status, response.output_text)`,
    go: `client := openai.NewClient()
response, err := client.Responses.New(ctx, responses.ResponseNewParams{
	Model: model,
	Input: responses.ResponseNewParamsInputUnion{OfString: openai.String("Hello")},
})
if err != nil {
	log.Fatal(err)
}
fmt.Println(response.Status, response.OutputText())`,
  },
  Stream: {
    typescript: `const stream = client.responses.stream({ model, input })
for await (const event of stream) {
  if (event.type === 'response.output_text.delta') process.stdout.write(event.delta)
}
const response = await stream.finalResponse()`,
    python: `with client.responses.stream(model=model, input=text) as stream:
    for event in stream:
        if event.type == "response.output_text.delta":
            print(event.delta, end="", flush=True)
    response = stream.get_final_response()`,
    go: `stream := client.Responses.NewStreaming(ctx, params)
for stream.Next() {
	if delta, ok := stream.Current().AsAny().(responses.ResponseTextDeltaEvent); ok {
		fmt.Print(delta.Delta)
	}
}
if err := stream.Err(); err != nil {
	log.Fatal(err)
}`,
  },
  List: {
    typescript: `for await (const batch of client.batches.list({ limit: 50 })) {
  console.log(batch.id, batch.status)
  break
}
const page = await client.batches.list({ limit: 50 })
console.log(page.data.length, page.hasNextPage())`,
    python: `for batch in client.batches.list(limit=50):
    print(batch.id, batch.created_at)
page = client.batches.list(limit=50)`,
    go: `batches := client.Batches.ListAutoPaging(ctx, openai.BatchListParams{})
for batches.Next() {
	fmt.Println(batches.Current().Status)
}
if err := batches.Err(); err != nil {
	log.Fatal(err)
}`,
  },
  Error: {
    typescript: `import { APIError, NotFoundError, RateLimitError } from 'openai'

try {
  await client.responses.retrieve(id)
} catch (error) {
  if (error instanceof NotFoundError) console.log('It does not exist')
  else if (error instanceof RateLimitError) console.log(error.headers?.get('retry-after'))
  else if (error instanceof APIError) console.error(error.status, error.code, error.requestID)
  else throw error
}`,
    python: `from openai import APIStatusError, NotFoundError, RateLimitError

try:
    client.responses.retrieve(id)
except NotFoundError:
    print("It does not exist")
except RateLimitError as error:
    print(error.response.headers.get("retry-after"))
except APIStatusError as error:
    print(error.status_code, error.code, error.request_id)`,
    go: `_, err := client.Responses.Get(ctx, id, responses.ResponseGetParams{})
var refused *openai.Error
switch {
case errors.As(err, &refused) && refused.StatusCode == http.StatusNotFound:
	fmt.Println("It does not exist")
case errors.As(err, &refused):
	fmt.Println(refused.StatusCode, refused.Code, refused.Response.Header.Get("x-request-id"))
case err != nil:
	log.Fatal(err)
}`,
  },
  Retry: {
    typescript: `const orderId = crypto.randomUUID()
const response = await client.responses.create(
  { model, input: 'Hello' },
  { idempotencyKey: orderId, maxRetries: 5, timeout: 120_000 },
)`,
    python: `response = client.with_options(max_retries=5).responses.create(
    model=model, input="Hello", extra_headers={"Idempotency-Key": "order-66"}
)`,
    go: `response, err := client.Responses.New(ctx, params,
	option.WithHeader("Idempotency-Key", orderID), option.WithMaxRetries(5), option.WithRequestTimeout(2*time.Minute))`,
  },
  Webhook: {
    typescript: `import { InvalidWebhookSignatureError } from 'openai'

const receive = async (request: Request): Promise<Response> => {
  try {
    const event = await client.webhooks.unwrap(await request.text(), request.headers)
    if (event.type === 'response.completed') console.log(event.data.id)
    return new Response(null, { status: 204 })
  } catch (error) {
    return new Response(null, { status: error instanceof InvalidWebhookSignatureError ? 400 : 500 })
  }
}`,
    python: `from collections.abc import Mapping

from openai import InvalidWebhookSignatureError


def receive(body: bytes, headers: Mapping[str, str]) -> int:
    try:
        event = client.webhooks.unwrap(body, headers)
    except InvalidWebhookSignatureError:
        return 400
    if event.type == "response.completed":
        print(event.data.id)
    return 204`,
    go: `http.HandleFunc("POST /hook", func(response http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		response.WriteHeader(http.StatusBadRequest)
		return
	}
	event, err := client.Webhooks.Unwrap(body, request.Header)
	if err != nil {
		response.WriteHeader(http.StatusBadRequest)
		return
	}
	if event.Type == "response.completed" {
		fmt.Println(event.AsResponseCompleted().Data.ID)
	}
	response.WriteHeader(http.StatusNoContent)
})`,
  },
  Batch: {
    typescript: `const lines = requests.map(({ id, body }) => JSON.stringify({ custom_id: id, method: 'POST', url: '/v1/responses', body }))
const file = await client.files.create({ file: await toFile(Buffer.from(lines.join('\\n')), 'in.jsonl'), purpose: 'batch' })
let batch = await client.batches.create({ input_file_id: file.id, endpoint: '/v1/responses', completion_window: '24h' })
while (!['completed', 'failed', 'expired', 'cancelled'].includes(batch.status)) {
  await sleep(5_000)
  batch = await client.batches.retrieve(batch.id)
}
const output = await client.files.content(batch.output_file_id ?? '')
for (const line of (await output.text()).trim().split('\\n')) {
  const { custom_id, response } = JSON.parse(line)
  console.log(custom_id, response.status_code, response.body.output)
}`,
    python: `lines = [json.dumps({"custom_id": id, "method": "POST", "url": "/v1/responses", "body": body}) for id, body in requests]
file = client.files.create(file=("in.jsonl", "\\n".join(lines).encode()), purpose="batch")
batch = client.batches.create(input_file_id=file.id, endpoint="/v1/responses", completion_window="24h")
while batch.status not in ("completed", "failed", "expired", "cancelled"):
    time.sleep(5)
    batch = client.batches.retrieve(batch.id)
for line in client.files.content(batch.output_file_id).text.splitlines():
    result = json.loads(line)
    print(result["custom_id"], result["response"]["status_code"], result["response"]["body"]["output"])`,
    go: `file, err := client.Files.New(ctx, openai.FileNewParams{File: lines, Purpose: openai.FilePurposeBatch})
if err != nil {
	log.Fatal(err)
}
batch, err := client.Batches.New(ctx, openai.BatchNewParams{
	InputFileID:      file.ID,
	Endpoint:         openai.BatchNewParamsEndpointV1Responses,
	CompletionWindow: openai.BatchNewParamsCompletionWindow24h,
})
for err == nil && batch.CompletedAt == 0 && batch.FailedAt == 0 && batch.ExpiredAt == 0 && batch.CancelledAt == 0 {
	time.Sleep(5 * time.Second)
	batch, err = client.Batches.Get(ctx, batch.ID)
}
if err != nil {
	log.Fatal(err)
}
output, err := client.Files.Content(ctx, batch.OutputFileID)
if err != nil {
	log.Fatal(err)
}
defer output.Body.Close()
for scanner := bufio.NewScanner(output.Body); scanner.Scan(); {
	fmt.Println(scanner.Text())
}`,
  },
  Cancel: {
    typescript: `let response = await client.responses.create({ model, input: 'Hello', background: true })
response = await client.responses.cancel(response.id)`,
    python: `response = client.responses.create(model=model, input="Hello", background=True)
response = client.responses.cancel(response.id)`,
    go: `if response, err = client.Responses.Cancel(ctx, response.ID); err != nil {
	log.Fatal(err)
}`,
  },
}
