"""Which addresses carry a secret, so that what stands there is not kept, and which ordinary ones do not."""

from functools import reduce
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.steps.web.urls import carries_secret

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
    "the other key of Amazon": "https://a.test/?aws_secret_access_key=abc",
    "a gateway's key": "https://a.test/?ocp-apim-subscription-key=abc",
    "a function's key": "https://a.test/?x-functions-key=abc",
    "a key of a feed": "https://a.test/?feed_key=abc",
    "a token in a list": "https://a.test/?access-token[]=abc",
    "a code of one time": "https://a.test/?otp_code=123456",
    "a client's secret": "https://a.test/?client_secret=abc",
    "Slack's public file": "https://files.test/a.png?pub_secret=abc",
    "a shared file of Dropbox": "https://dropbox.test/scl/fi/a/b.pdf?rlkey=abc&dl=0",
    "a shared file of Google": "https://drive.test/file/d/a/view?resourcekey=0-abc",
    "a shared file of OneDrive": "https://onedrive.test/?authkey=abc",
    "a meeting": "https://zoom.test/j/1?pwd=abc",
    "a link that invites": "https://a.test/join?invite_link=abc",
    "a key to deploy": "https://a.test/hooks?deploy_key=abc",
    "a session of ColdFusion": "https://a.test/index.cfm?CFID=1234567",
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
    "a password in short": "https://a.test/?user=me&pass=hunter2",
    "a password in shorter": "https://a.test/?pw=hunter2",
    "a user's password": "https://a.test/?user_pass=hunter2",
    "a tracker's passkey": "https://a.test/announce?passkey=abc",
    "a storage account": "https://a.test/?account_key=abc",
    "a storage account in one word": "https://a.test/?StorageAccountKey=abc",
    "a short signature": "https://a.test/?url_sig=abc",
    "a short signature with a hyphen": "https://a.test/?x-sig=abc",
    "a short signature in camel case": "https://a.test/?urlSig=abc",
    "a session behind an escaped semicolon": "https://a.test/shop/cart%3Bjsessionid=0A1B.node1",
    "a session that is escaped throughout": "https://a.test/shop/cart%3bjsessionid%3D0A1B.node1/pay",
    "a session that is escaped twice": "https://a.test/shop/cart%253Bjsessionid%253D0A1B",
    "a matrix parameter": "https://a.test/maps;lang=en;api_key=abc/view",
    "a query that is escaped into the path": "https://a.test/cb%3Ftoken%3Dabc",
    "a fragment that is escaped into the path": "https://a.test/cb%23access_token%3Dabc",
    "an escaped fragment": "https://a.test/cb#access_token%3Dabc",
    "an address inside": "https://a.test/login?next=https%3A%2F%2Fb.test%2F%3Ftoken%3Dabc",
    "an address inside, in capitals": "https://a.test/login?next=HTTPS%3A%2F%2Fb.test%2F%3Ftoken%3Dabc",
    "an address inside that is not escaped": "https://a.test/login?next=https://b.test/?token=abc",
    "an address inside without a scheme": "https://a.test/login?next=%2F%2Fb.test%2F%3Ftoken%3Dabc",
    "a path inside": "https://a.test/login?next=%2Fcb%3Fa%3D1%26token%3Dabc",
    "a relative path inside": "https://a.test/login?next=cb%3Ftoken%3Dabc",
    "an address inside with a fragment": "https://a.test/login?next=https%3A%2F%2Fb.test%2F%23access_token%3Dabc",
    "an address inside with a password": "https://a.test/go?to=https%3A%2F%2Fme%3Apw%40b.test%2F",
    "an address inside with a session": "https://a.test/go?to=https%3A%2F%2Fb.test%2Fcart%3Bjsessionid%3D0A1B",
    "an address inside that is escaped twice": "https://a.test/go?to=https%253A%252F%252Fb.test%252F%253Ftoken%253Dabc",
    "an address inside an address": (
        "https://a.test/go?to=https%3A%2F%2Fb.test%2F%3Fnext%3Dhttps%253A%252F%252Fc.test%252F%253Ftoken%253Dabc"
    ),
    **{
        f"an address inside that is escaped {times} times": "https://a.test/go?to="
        + reduce(lambda inner, _: quote(inner, safe=""), range(times), "https://b.test/?token=abc")
        for times in (3, 4, 7, 8, 9, 40)
    },
    "what is escaped without end": "https://a.test/?to=%" + "25" * 500 + "41",
    "a backslash in the fragment": "https://a.test/p#a\\b&access_token=abc",
    "a backslash in the path": "https://a.test/p\\b?access_token=abc",
    "a control character in the query": "https://a.test/?a=\x01&access_token=abc",
    "half a character in the query": "https://a.test/?a=\ud800&access_token=abc",
    "an address in the path": "https://a.test/go/https%3A%2F%2Fb.test%2F%3Ftoken%3Dabc",
    "an address in the fragment": "https://a.test/#/go?to=https%3A%2F%2Fb.test%2F%3Ftoken%3Dabc",
}
ORDINARY = {
    "the name of a network": "https://manual.test/wifi?ssid=Harbour",
    "a pattern": "https://a.test/search?pat=lamp",
    "encoded over and over": "https://a.test/?q=%25252525",
    "nothing": "https://a.test/",
    "a backslash in the fragment": "https://a.test/p#a\\b",
    "a host that is none": "https://[a/?token=abc",
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
    "words that begin like a password": "https://a.test/?passage=3&passenger=ann&pass_rate=97.5&passive=true",
    "words that end like one": "https://a.test/?compass=north&bypass=cache&ski_pass=weekly",
    "a pass by its number": "https://a.test/?pass=2",
    "words that hold a short signature": "https://a.test/?design=modern&signal=wifi&sigma=0.05&assign=me&lessig=code",
    "words that hold a key": "https://a.test/?monkey=capuchin&account=public&keyword=accounting",
    "a matrix of ordinary parameters": "https://a.test/maps;lang=en;zoom=12/view;layer=roads",
    "an escaped semicolon in a title": "https://a.test/wiki/Steins%3BGate",
    "an escaped question in a title": "https://a.test/wiki/Who%3F_What%3F",
    "an escaped sharp sign in a title": "https://a.test/wiki/C%23_(language)",
    "an ordinary address inside": "https://a.test/login?next=https%3A%2F%2Fb.test%2F%3Fpage%3D2%23top",
    "an ordinary path inside": "https://a.test/login?next=%2Fdocs%2Ftoken%3Fpassage%3D3",
    "an at sign in an address inside": "https://a.test/go?to=https%3A%2F%2Fb.test%2F%40someone",
    "a formula": "https://a.test/?q=a%3Db%26c%3Dd",
    "a question about a token": "https://a.test/?q=what+is+a+token%3F+it+is+a+word",
    "a broken address inside": "https://a.test/go?to=https%3A%2F%2F%5Bb",
}


@pytest.mark.parametrize("url", SECRETS.values(), ids=SECRETS)
def test_an_address_that_carries_a_secret_is_known(url: str) -> None:
    assert carries_secret(url)


@pytest.mark.parametrize("url", ORDINARY.values(), ids=ORDINARY)
def test_an_ordinary_address_is_not_taken_for_one(url: str) -> None:
    assert not carries_secret(url)


def test_addresses_inside_addresses_end_somewhere() -> None:
    assert not carries_secret("https://a.test/?to=" * 5_000)
    assert not carries_secret("https://a.test/?a=" + "%25" * 20_000)


@given(st.text(st.characters(), max_size=80) | st.text("htps:/.ab?&=#@[]();0128\\ \t\ud800é%").map("http://a".__add__))
def test_no_text_is_too_odd_to_be_looked_at(url: str) -> None:
    assert carries_secret(url) in {True, False}
