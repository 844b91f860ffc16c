"""Which addresses carry a secret, so that what stands there is not kept, and which ordinary ones do not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.steps.url_secrets import carries_secret

SECRETS = {
    "user and password": "https://me:pw@a.test/",
    "user alone": "https://me@a.test/",
    "a signed store": "https://s3.test/file?X-Amz-Signature=abc&X-Amz-Date=1",
    "an older signed store": "https://s3.test/file?AWSAccessKeyId=A&Expires=1&Signature=abc",
    "a signed store of Google": "https://storage.test/file?GoogleAccessId=a@b.test&Expires=1&Signature=abc",
    "a newer one": "https://storage.test/file?X-Goog-Credential=a",
    "a shared access signature of Azure": "https://blob.test/file?sv=2020&se=2030-01-01&sp=r&sig=abc",
    "CloudFront": "https://cdn.test/file?Policy=eyJ&Key-Pair-Id=K1",
    "Alibaba": "https://oss.test/file?OSSAccessKeyId=a",
    "Tencent": "https://cos.test/file?q-signature=abc",
    "Akamai": "https://cdn.test/file?hdnts=exp=1~hmac=a",
    "a token": "https://a.test/?access_token=abc",
    "a token without an underscore": "https://a.test/?authToken=abc",
    "a bare token": "https://a.test/?token=abc",
    "GitLab": "https://gitlab.test/api/v4/projects?private_token=abc",
    "GitLab's feeds": "https://gitlab.test/a.atom?feed_token=abc",
    "OAuth 1": "https://a.test/cb?oauth_token=abc&oauth_verifier=def",
    "OAuth 2": "https://a.test/cb?code=SplxlOBeZQQYbYS6WxSbIA&state=xyz",
    "a code alone": "https://a.test/cb?code=abc",
    "a code of two characters beside a state": "https://a.test/cb?code=ab&state=xyz",
    "SAML": "https://a.test/acs?SAMLResponse=PHNhbWw",
    "CAS": "https://a.test/?ticket=ST-1856339-aA5Yuvrxzpv8Tau1cYQ7",
    "a key": "https://a.test/?x=1&api_key=abc",
    "a key in capitals": "https://a.test/?APIKEY=abc",
    "an access key": "https://a.test/?access_key=abc",
    "a key of Azure": "https://a.test/?subscription-key=abc",
    "a client's secret": "https://a.test/?client_secret=abc",
    "Slack's public file": "https://files.test/a.png?pub_secret=abc",
    "a shared file of Dropbox": "https://dropbox.test/scl/fi/a/b.pdf?rlkey=abc&dl=0",
    "a shared file of Google": "https://drive.test/file/d/a/view?resourcekey=0-abc",
    "a shared file of OneDrive": "https://onedrive.test/?authkey=abc",
    "a meeting": "https://zoom.test/j/1?pwd=abc",
    "a magic link": "https://a.test/login?magic_link=abc",
    "a password to be reset": "https://a.test/users/password/edit?reset_password_token=abc",
    "such a one in a form's brackets": "https://a.test/edit?user%5Breset_password_token%5D=abc",
    "Firebase": "https://a.test/__/auth/action?mode=resetPassword&oobCode=abc",
    "a code by mail": "https://a.test/verify?verification_code=123456",
    "a one-time password": "https://a.test/?otp=123456",
    "an invitation": "https://a.test/join?invite=abc",
    "an invitation's code": "https://a.test/join?inviteCode=abc",
    "a session": "https://a.test/?session_id=abc",
    "a session of PHP": "https://a.test/?PHPSESSID=abc",
    "a session of ASP": "https://a.test/?ASPSESSIONIDQQ=abc",
    "a session in short": "https://a.test/forum?sid=0a1b2c",
    "a session in the path": "https://a.test/shop/cart;jsessionid=0A1B.node1?page=2",
    "a session in the middle of the path": "https://a.test/shop;JSESSIONID=0A1B/cart",
    "a session of ASP.NET in the path": "https://a.test/(S(lit3py55t21z5v55vlm25s55))/orders.aspx",
    "a token behind a semicolon": "https://a.test/?a=1;token=abc",
    "a token in the fragment": "https://a.test/cb#access_token=abc&token_type=bearer",
    "a token in a fragment that is a route": "https://a.test/#/reset?token=abc",
    "an escaped name": "https://a.test/?%74oken=abc",
    "a name with dots": "https://a.test/?connect.sid=abc",
    "an empty password": "https://a.test/?password=",
    "a name without a value": "https://a.test/?token",
}
ORDINARY = {
    "nothing": "https://a.test/",
    "a search": "https://a.test/?q=token+and+password&page=2",
    "the next page": "https://a.test/?page_token=abc",
    "the next page, otherwise spelt": "https://a.test/?nextPageToken=abc",
    "a harvest of records": "https://a.test/oai?verb=ListRecords&resumptionToken=abc",
    "a country": "https://a.test/?code=US",
    "other codes": "https://a.test/?country_code=USA&zip_code=12345&error_code=404",
    "a first page by its key": "https://a.test/?sort_key=title&key=7",
    "a word that holds one": "https://a.test/?keyboard=1&signal=2&author=3&inside=4",
    "a date that ends": "https://a.test/?se=2030-01-01&sp=r&sv=1",
    "in the path": "https://a.test/token/key",
    "a version in the path": "https://a.test/page;v=2/part;lang",
    "a chapter in brackets": "https://a.test/(S)/a_(b(c))",
    "an anchor": "https://a.test/manual#token",
    "a name in brackets that close nothing": "https://a.test/?filter[]=abc",
    "an at sign in the path": "https://a.test/@someone",
    "no web address": "mailto:me@a.test",
}


@pytest.mark.parametrize("url", SECRETS.values(), ids=SECRETS)
def test_an_address_that_carries_a_secret_is_known(url: str) -> None:
    assert carries_secret(url)


@pytest.mark.parametrize("url", ORDINARY.values(), ids=ORDINARY)
def test_an_ordinary_address_is_not_taken_for_one(url: str) -> None:
    assert not carries_secret(url)


@given(st.text(st.characters(), max_size=80) | st.text("htps:/.ab?&=#@[]();0128\\ \t\ud800é%").map("http://a".__add__))
def test_no_text_is_too_odd_to_be_looked_at(url: str) -> None:
    assert carries_secret(url) in {True, False}
