package wsman

import (
	"crypto/rand"
	"crypto/sha1"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"strings"

	"kinit/test/winsim/wsman/internal/ntlm"
)

// mutual is what a client says that has shown a certificate (DSP0226, C.3.3).
const mutual = "http://schemas.dmtf.org/wbem/wsman/1/wsman/secprofile/https/mutual"

// login finds out who sends a request. When ok is false, the answer was given.
func (s *Server) login(w http.ResponseWriter, r *http.Request) (user string, ok bool) {
	settings, c := s.current(), connOf(r.Context())
	scheme, credentials, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	switch strings.ToLower(scheme) {
	case "":
		if c.user != "" {
			return c.user, true
		}
	case "basic":
		if user, ok := s.basic(r, settings); ok {
			return user, true
		}
	case "negotiate", "ntlm":
		if !settings.NoNegotiate {
			return s.negotiate(w, r, scheme, credentials)
		}
	case mutual:
		if user, ok := s.certificate(r, settings); ok {
			return user, true
		}
	}
	s.unauthorized(w, r)
	return "", false
}

// basic is refused where others could read the password.
func (s *Server) basic(r *http.Request, settings Settings) (string, bool) {
	user, password, ok := r.BasicAuth()
	if !ok || !settings.Basic || r.TLS == nil && !settings.AllowUnencrypted {
		return "", false
	}
	user = local(user)
	return user, s.options.Login.Password(user, password)
}

func (s *Server) certificate(r *http.Request, settings Settings) (string, bool) {
	if !settings.Certificate || r.TLS == nil || len(r.TLS.PeerCertificates) == 0 {
		return "", false
	}
	sum := sha1.Sum(r.TLS.PeerCertificates[0].Raw)
	return s.options.Login.Certificate(strings.ToUpper(hex.EncodeToString(sum[:])))
}

// negotiate is a step of NTLM, which authenticates the connection.
func (s *Server) negotiate(w http.ResponseWriter, r *http.Request, scheme, credentials string) (string, bool) {
	c := connOf(r.Context())
	token, err := base64.StdEncoding.DecodeString(strings.TrimSpace(credentials))
	if err != nil || !ntlm.IsMessage(token) {
		s.unauthorized(w, r)
		return "", false
	}
	if ntlm.IsNegotiate(token) {
		s.challenge(w, r, scheme, token)
		return "", false
	}
	handshake := c.handshake
	c.forget()
	if handshake == nil {
		s.unauthorized(w, r)
		return "", false
	}
	id, session, err := handshake.Authenticate(token)
	if err != nil {
		s.unauthorized(w, r)
		return "", false
	}
	c.user, c.session = id.User, session
	return c.user, true
}

func (s *Server) challenge(w http.ResponseWriter, r *http.Request, scheme string, token []byte) {
	c := connOf(r.Context())
	c.forget()
	server := &ntlm.Server{
		Computer: s.options.Computer, NTHash: s.options.Login.NTHash, Rand: rand.Reader, Now: s.options.Now,
	}
	if r.TLS != nil {
		s.mu.Lock()
		server.Bindings, server.RequireBindings = s.bindings, s.settings.StrictBindings
		s.mu.Unlock()
	}
	handshake, challenge, err := server.Challenge(token)
	if err != nil {
		s.unauthorized(w, r)
		return
	}
	c.handshake = handshake
	w.Header().Set("WWW-Authenticate", scheme+" "+base64.StdEncoding.EncodeToString(challenge))
	empty(w, http.StatusUnauthorized)
}

// unauthorized says by what a client may log in.
func (s *Server) unauthorized(w http.ResponseWriter, r *http.Request) {
	settings := s.current()
	connOf(r.Context()).forget()
	if !settings.NoNegotiate {
		w.Header().Add("WWW-Authenticate", "Negotiate")
	}
	if settings.Basic && (r.TLS != nil || settings.AllowUnencrypted) {
		w.Header().Add("WWW-Authenticate", `Basic realm="WSMAN"`)
	}
	if settings.Certificate && r.TLS != nil {
		w.Header().Add("WWW-Authenticate", mutual)
	}
	empty(w, http.StatusUnauthorized)
}

// local takes the machine, which is all that local accounts can have there, from
// the front of a user's name.
func local(user string) string {
	if _, name, ok := strings.Cut(user, `\`); ok {
		return name
	}
	return user
}
