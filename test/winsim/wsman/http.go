package wsman

import (
	"io"
	"net/http"
	"strconv"

	"kinit/test/winsim/wsman/internal/soap"
)

// maxDiscard is how much of a request that is refused is read first, so that the
// client is there to read the answer.
const maxDiscard = 64 << 20

// sealedExtra is what encryption adds to a message at most.
const sealedExtra = 1 << 10

// serveHTTP answers one request, from the path down to the message in it.
func (s *Server) serveHTTP(w http.ResponseWriter, r *http.Request) {
	if !s.begin() {
		drop(r)
	}
	defer s.handlers.Done()
	w.Header().Set("Server", "Microsoft-HTTPAPI/2.0")
	switch {
	case r.URL.Path != "/wsman":
		empty(w, http.StatusNotFound)
		return
	case r.Method != http.MethodPost:
		empty(w, http.StatusMethodNotAllowed)
		return
	}
	limit := s.current().MaxEnvelopeSize
	body, err := io.ReadAll(io.LimitReader(r.Body, int64(limit+sealedExtra)+1))
	if err != nil {
		drop(r)
	}
	_, _ = io.CopyN(io.Discard, r.Body, maxDiscard) // its end is no error, and a broken connection shows later
	if r.Header.Get("WSMANIDENTIFY") == "unauthenticated" {
		s.write(w, r, http.StatusOK, soap.Identified("OS: 0.0.0 SP: 0.0 Stack: 3.0", s.options.Language), Effect{})
		return
	}
	user, ok := s.login(w, r)
	if !ok {
		return
	}
	s.message(w, r, user, body, limit)
}

// begin counts a handler, unless the machine is down.
func (s *Server) begin() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.host == nil {
		return false
	}
	s.handlers.Add(1)
	return true
}

// message opens the envelope and answers what is in it.
func (s *Server) message(w http.ResponseWriter, r *http.Request, user string, body []byte, limit int) {
	switch {
	case len(body) == 0: // clients log in with nothing to say
		empty(w, http.StatusOK)
		return
	case len(body) > limit+sealedExtra: // whatever is in it, not all of it was read
		empty(w, http.StatusRequestEntityTooLarge)
		return
	case isSealed(r):
		opened, err := unseal(connOf(r.Context()).session, r.Header.Get("Content-Type"), body)
		if err != nil {
			connOf(r.Context()).forget()
			empty(w, http.StatusBadRequest)
			return
		}
		body = opened
	case r.TLS == nil && !s.current().AllowUnencrypted:
		empty(w, http.StatusInternalServerError)
		return
	}
	if len(body) > limit {
		empty(w, http.StatusRequestEntityTooLarge)
		return
	}
	request, fault := soap.Decode(body)
	s.handle(w, r, user, request, fault)
}

// write sends an envelope, sealed if the request was.
func (s *Server) write(w http.ResponseWriter, r *http.Request, status int, envelope []byte, e Effect) {
	contentType := typeSOAP
	if isSealed(r) {
		envelope, contentType = seal(connOf(r.Context()).session, envelope), typeSealed
	}
	if e.Empty {
		envelope = nil
	}
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Content-Length", strconv.Itoa(len(envelope)))
	w.WriteHeader(status)
	if e.Truncate > 0 && e.Truncate < len(envelope) {
		_, _ = w.Write(envelope[:e.Truncate]) // the connection is cut anyway
		_ = http.NewResponseController(w).Flush()
		_ = connOf(r.Context()).close() // in order, so that the client reads the half
		panic(http.ErrAbortHandler)
	}
	_, _ = w.Write(envelope) // a client that has gone does not read it
}

// empty answers with a status and nothing else.
func empty(w http.ResponseWriter, status int) {
	w.Header().Set("Content-Length", "0")
	w.WriteHeader(status)
}

// drop resets the connection of a request and ends its handler.
func drop(r *http.Request) {
	connOf(r.Context()).cut()
	panic(http.ErrAbortHandler)
}
